import { isStorageOf, ownerNames } from '~/lib/private-storage.ts'

/** Stores the files of unsent messages under ids made by the client. */
export interface PictureStore {
	/** @returns whether it is stored in the browser; otherwise it lives as long as the tab */
	put(id: string, file: Blob): Promise<boolean>
	/** @returns null if it is no longer stored */
	get(id: string): Promise<Blob | null>
	remove(ids: string[]): Promise<void>
	/** Deletes files that are older than a month and not in use, left by tabs that were closed before sending. */
	sweep(used: ReadonlySet<string>): Promise<void>
}

interface StoredPicture {
	file: Blob
	/** Milliseconds since 1970. */
	at: number
}

/** A month, as other tabs cannot be asked what they have attached: the browser may load one again that it ended weeks ago. */
const MAX_AGE_MS = 30 * 86_400_000

/** The pictures of one member in IndexedDB. What cannot be stored there lives as long as the tab. */
export class BrowserPictures implements PictureStore {
	private readonly member: string
	private readonly prefix: string
	/** Files that this tab has chosen or read, which another tab may delete while it is open. */
	private readonly held = new Map<string, Blob>()
	private database: Promise<IDBDatabase> | null = null

	/** @param member username; each member of a browser has a store of their own */
	constructor(member: string) {
		this.member = member
		this.prefix = `${member}:`
	}

	async put(id: string, file: Blob): Promise<boolean> {
		this.held.set(id, file)
		try {
			if (!isStorageOf(this.member)) throw new Error('This browser belongs to another member now.')
			await this.run('readwrite', (store) =>
				store.put({ file, at: Date.now() } satisfies StoredPicture, this.prefix + id),
			)
			return true
		} catch {
			return false
		}
	}

	async get(id: string): Promise<Blob | null> {
		const held = this.held.get(id)
		if (held) return held
		const stored = await this.run<StoredPicture | undefined>('readonly', (store) => store.get(this.prefix + id)).catch(
			() => null,
		)
		if (stored) this.held.set(id, stored.file)
		return stored?.file ?? null
	}

	async remove(ids: string[]): Promise<void> {
		for (const id of ids) {
			this.held.delete(id)
			await this.run('readwrite', (store) => store.delete(this.prefix + id)).catch(() => {})
		}
	}

	async sweep(used: ReadonlySet<string>): Promise<void> {
		const keys = await this.run('readonly', (store) => store.getAllKeys()).catch(() => [])
		const own = keys.map(String).filter((key) => key.startsWith(this.prefix))
		for (const id of own.map((key) => key.slice(this.prefix.length))) {
			if (used.has(id)) continue
			const stored = await this.run<StoredPicture | undefined>('readonly', (store) =>
				store.get(this.prefix + id),
			).catch(() => null)
			if (stored && stored.at < Date.now() - MAX_AGE_MS) await this.remove([id])
		}
	}

	private async run<Result>(
		mode: IDBTransactionMode,
		work: (store: IDBObjectStore) => IDBRequest<Result>,
	): Promise<Result> {
		this.database ??= open().then((database) => adopt(database, this.member))
		const transaction = (await this.database).transaction(name, mode)
		const request = work(transaction.objectStore(name))
		return new Promise((resolve, reject) => {
			transaction.oncomplete = () => resolve(request.result)
			transaction.onabort = () => reject(transaction.error)
			transaction.onerror = () => reject(transaction.error)
		})
	}
}

const name = 'chat-pictures'

/** Moves files that are stored under a former username of this member (`lib/private-storage.ts`). @returns the database */
function adopt(database: IDBDatabase, member: string): Promise<IDBDatabase> {
	const [owner, ...former] = ownerNames()
	// A page of another member, or of a former name, takes nothing.
	if (owner !== member || former.length === 0) return Promise.resolve(database)
	return new Promise((resolve) => {
		const transaction = database.transaction(name, 'readwrite')
		const store = transaction.objectStore(name)
		const keys = store.getAllKeys()
		keys.onsuccess = () => {
			for (const key of keys.result.map(String)) {
				const [name = '', id] = key.split(':')
				if (!former.includes(name)) continue
				const file = store.get(key)
				file.onsuccess = () => {
					store.put(file.result, `${member}:${id}`)
					store.delete(key)
				}
			}
		}
		transaction.oncomplete = () => resolve(database)
		// They stay, as when the browser has no space left.
		transaction.onabort = () => resolve(database)
	})
}

function open(): Promise<IDBDatabase> {
	return new Promise((resolve, reject) => {
		const request = indexedDB.open(name, 1)
		request.onupgradeneeded = () => request.result.createObjectStore(name)
		request.onsuccess = () => resolve(request.result)
		request.onerror = () => reject(request.error)
	})
}
