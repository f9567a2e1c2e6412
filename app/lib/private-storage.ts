import type { Viewer } from './viewer.ts'

/*
 * What this browser stores about a member besides cookies. Everything that is not listed here as harmless counts as private, so
 * that a key added later is cleared automatically.
 */

/** Stores the username of the owner of this storage. */
export const OWNER = 'storage-owner'
/** Stores their id, which stays when they are renamed while no page is open in this browser. */
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
	return localStorage.getItem(OWNER)
}

/**
 * Makes sure that this browser stores nothing about other members.
 * @param member null when a page was loaded without a session
 */
export async function claimStorage(member: Viewer): Promise<void> {
	try {
		const owner = storageOwner()
		const isOwn = member && (owner === null || owner === member.username || isRenamed(member))
		if (isOwn && owner !== null && owner !== member.username) renameOwner(owner, member.username)
		const cleared = isOwn ? null : clearPrivateStorage()
		// Before the databases are emptied, as the next page may already be loading.
		if (member) {
			localStorage.setItem(OWNER_ID, String(member.id))
			localStorage.setItem(OWNER, member.username)
		}
		await cleared
	} catch {
		// A browser that forbids storage has none.
	}
}

function isRenamed({ id }: NonNullable<Viewer>): boolean {
	return localStorage.getItem(OWNER_ID) === String(id)
}

/** Moves a member's entries to their new username, the second word of a key, as in `chat-draft:anna:bert` and `draft anna /forum/ask`. */
export function renameOwner(from: string, to: string): void {
	try {
		localStorage.setItem(OWNER, to)
		for (const store of [localStorage, sessionStorage])
			for (const key of Object.keys(store)) {
				const [, kind, owner, rest] = /^([\w-]+[: ])([^: ]+)([: ].*)$/s.exec(key) ?? []
				if (owner === from) moveEntry(store, key, `${kind}${to}${rest}`)
			}
	} catch {
		// Storage is forbidden.
	}
}

/** Moves an entry to another key. If storage is full, it stays. */
export function moveEntry(store: Storage, from: string, to: string): void {
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
