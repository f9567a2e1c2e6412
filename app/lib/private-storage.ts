import type { SignedIn, Viewer } from './viewer.ts'

/*
 * What this browser stores about a member besides cookies. Everything that is not listed here as harmless counts as private, so
 * that a key added later is cleared automatically.
 */

/**
 * Stores the username of the owner of this storage, then the former ones that they had in this browser, separated by spaces: only what is
 * stored under these is theirs, too.
 */
export const OWNER = 'storage-owner'
/** Stores their id: with another database, the name may be somebody else's. */
const OWNER_ID = 'storage-owner-id'

/**
 * Kept after a logout: drafts typed without a session, which survive the login (`draft`, no owner, its key); whether this network
 * blocks sockets; the hashes of failed pictures, which name no member; and React Router's scroll positions, which are numbers by
 * random keys.
 */
const harmless = /^(draft {2}|chat-socket-blocked$|broken-pictures$|react-router-scroll-positions$)/
/** For the cache storage: the offline page, and what a visitor read. */
const harmlessCache = /^(shell |saved:$)/

/** Username of the member whose storage this is; null for a visitor. */
export function storageOwner(): string | null {
	return ownerNames()[0] ?? null
}

/** The usernames of the owner in this browser: the present one and former ones; none for a visitor. */
export function ownerNames(): string[] {
	return localStorage.getItem(OWNER)?.split(' ') ?? []
}

/**
 * Whether what a page stores is still its member's: since it was loaded, they may have logged out, or another member in.
 * @param member username, perhaps a former one by now
 */
export function isStorageOf(member: string): boolean {
	try {
		return ownerNames().includes(member)
	} catch {
		return false
	}
}

/**
 * Makes sure that this browser stores nothing about other members.
 * @param member null when a page was loaded without a session
 * @param formerNames all former usernames of the member, who may have been renamed while no page was open in this browser
 */
export async function claimStorage(member: Viewer, formerNames: readonly string[] = []): Promise<void> {
	try {
		const isOwn = member !== null && isOwner(member, formerNames)
		const cleared = isOwn ? null : clearPrivateStorage()
		// Before the databases are emptied, as the next page may already be loading.
		if (member) {
			localStorage.setItem(OWNER_ID, String(member.id))
			setOwner(member.username, isOwn ? formerNames : [])
		}
		await cleared
	} catch {
		// A browser that forbids storage has none.
	}
}

function isOwner({ id, username }: SignedIn, formerNames: readonly string[]): boolean {
	const owner = storageOwner()
	const hasName = owner === null || owner === username || formerNames.includes(owner)
	return hasName && [null, String(id)].includes(localStorage.getItem(OWNER_ID))
}

/** Gives the owner's entries their new username, unless the owner is somebody else. */
export function renameOwner(from: string, to: string): void {
	try {
		if (ownerNames().includes(from)) setOwner(to)
	} catch {
		// Storage is forbidden.
	}
}

/**
 * Moves what is stored under the owner's former names, and removes what other members' open pages have stored since. The username is the
 * second word of a key, as in `chat-draft:anna:bert` and `draft anna /forum/ask`: a key that is not a member's has none, or begins it with `/`.
 */
function setOwner(name: string, formerNames: readonly string[] = []): void {
	const former = [...new Set([...ownerNames(), ...formerNames])].filter((each) => each !== name)
	localStorage.setItem(OWNER, [name, ...former].join(' '))
	for (const store of [localStorage, sessionStorage])
		for (const key of Object.keys(store)) {
			const [, kind, owner = name, rest = ''] = /^([\w-]+[: ])([^: /]+)([: ].*)?$/s.exec(key) ?? []
			if (former.includes(owner)) moveEntry(store, key, `${kind}${name}${rest}`)
			else if (owner !== name) store.removeItem(key)
		}
}

/** Moves an entry to another key. If storage is full, it stays. */
function moveEntry(store: Storage, from: string, to: string): void {
	const text = store.getItem(from)
	if (text === null) return
	try {
		store.setItem(to, text)
		store.removeItem(from)
	} catch {
		// Storage is full.
	}
}

/**
 * Clears what was typed, read and queued: local and session storage, saved pages, all databases of this site, pushes that are still
 * shown, and the number on the app's icon.
 */
export async function clearPrivateStorage(): Promise<void> {
	for (const store of [localStorage, sessionStorage])
		for (const key of Object.keys(store)) if (!harmless.test(key)) store.removeItem(key)
	void navigator.clearAppBadge?.().catch(() => {})
	void closePushes().catch(() => {})
	// Missing on a page without TLS.
	for (const name of (await window.caches?.keys()) ?? []) if (!harmlessCache.test(name)) await caches.delete(name)
	// Tabs may have a database open, which cannot be deleted then: it is emptied.
	for (const { name } of (await indexedDB.databases?.()) ?? []) if (name) await emptyDatabase(name)
}

/** They quote messages. */
async function closePushes(): Promise<void> {
	const registration = await navigator.serviceWorker?.getRegistration()
	for (const push of (await registration?.getNotifications()) ?? []) push.close()
}

function emptyDatabase(name: string): Promise<void> {
	return new Promise((resolve, reject) => {
		const opening = indexedDB.open(name)
		opening.onerror = () => reject(opening.error)
		opening.onsuccess = () => {
			const database = opening.result
			const stores = [...database.objectStoreNames]
			if (stores.length === 0) return finish(database, resolve)
			const transaction = database.transaction(stores, 'readwrite')
			for (const store of stores) transaction.objectStore(store).clear()
			transaction.oncomplete = () => finish(database, resolve)
			transaction.onabort = () => reject(transaction.error)
		}
	})
}

function finish(database: IDBDatabase, done: () => void): void {
	database.close()
	done()
}
