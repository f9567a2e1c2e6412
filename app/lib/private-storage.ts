/*
 * What this browser keeps of a member besides cookies. Whatever is not listed here as harmless counts as private, so a key that
 * is added later is cleared without anybody thinking of it.
 */

/** Names whose storage this is. */
const OWNER = 'storage-owner'

/**
 * What stays after a logout: drafts that were typed without a session, which survive the login (`draft`, no owner, its key),
 * whether this network lets no socket through, the hashes of pictures that failed, which name no member, and React Router's
 * scroll positions, which are numbers by random keys.
 */
const harmless = /^(draft {2}|chat-socket-blocked$|broken-pictures$|react-router-scroll-positions$)/
/** Of the cache storage: the offline page, and what a visitor read. */
const harmlessCache = /^(shell |saved:$)/

/** Username of the member whose storage this is; null for a visitor. */
export function storageOwner(): string | null {
	return localStorage.getItem(OWNER)
}

/**
 * Sees to it that this browser keeps nothing of anybody but the member who looks at it.
 * @param member username; null when a page was loaded and there is no session
 */
export async function claimStorage(member: string | null): Promise<void> {
	try {
		const owner = storageOwner()
		const isOwn = member !== null && (owner === member || owner === null)
		const cleared = isOwn ? null : clearPrivateStorage()
		// Before the databases are empty: the next page may be on its way already.
		if (member !== null) localStorage.setItem(OWNER, member)
		await cleared
	} catch {
		// A browser that forbids the store keeps nothing.
	}
}

/**
 * Removes what was typed, read and queued here: local and session storage, saved copies of pages, every database of this site,
 * and the number on the app's icon.
 */
export async function clearPrivateStorage(): Promise<void> {
	for (const store of [localStorage, sessionStorage])
		for (const key of Object.keys(store)) if (!harmless.test(key)) store.removeItem(key)
	void navigator.clearAppBadge?.().catch(() => {})
	// There is none on a page without TLS.
	for (const name of (await window.caches?.keys()) ?? []) if (!harmlessCache.test(name)) await caches.delete(name)
	// Tabs may have a database open, so it cannot be deleted: it is emptied.
	for (const { name } of (await indexedDB.databases?.()) ?? []) if (name) await emptyDatabase(name)
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
