import { randomUUID } from 'node:crypto'
import { mkdir, readdir, rm, rmdir, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { FSDriver } from 'flydrive/drivers/fs'
import type { Config } from '~/config.server.ts'
import { renameDurably } from '~/lib/folders.server.ts'
import { codeOf } from '~/lib/system-errors.ts'

/* The folder `media` of the data directory as a storage. */

function mediaFolder({ dataDir }: Pick<Config, 'dataDir'>): string {
	return join(dataDir, 'media')
}

/** The folder of incomplete files. */
const INCOMING = '.incoming'

/** Milliseconds after which an incomplete file must belong to a dead process. */
const ABANDONED_AFTER_MS = 60 * 60_000

/** The folder `media` of the data directory, without incomplete files that a crash left. */
export async function openFolder({ dataDir }: Pick<Config, 'dataDir'>): Promise<FSDriver> {
	const location = mediaFolder({ dataDir })
	const incoming = join(location, INCOMING)
	await mkdir(incoming, { recursive: true })
	for (const name of await readdir(incoming)) {
		const file = join(incoming, name)
		const written = await stat(file).catch(() => null)
		if (written && Date.now() - written.mtimeMs > ABANDONED_AFTER_MS) await rm(file, { force: true })
	}
	return new Folder(location, incoming)
}

/** FlyDrive writes a file in place, where a reader may meet half of it; here a file appears complete and on disk. */
class Folder extends FSDriver {
	readonly #location: string
	readonly #incoming: string

	constructor(location: string, incoming: string) {
		super({ location, visibility: 'private' })
		this.#location = location
		this.#incoming = incoming
	}

	override put(key: string, contents: string | Uint8Array): Promise<void> {
		return this.#write(key, contents)
	}

	override putStream(key: string, contents: Readable): Promise<void> {
		return this.#write(key, contents)
	}

	async #write(key: string, contents: string | Uint8Array | Readable): Promise<void> {
		const written = join(this.#incoming, randomUUID())
		const place = join(this.#location, key)
		try {
			await writeFile(written, contents, { flush: true })
			await this.#place(written, place)
		} catch (error) {
			// On a full disk, the incomplete file would waste space.
			await rm(written, { force: true }).catch(() => {})
			throw error
		}
	}

	/** Retries, as a concurrent removal of the folder's last file removes the folder, too. */
	async #place(written: string, place: string, tries = 3): Promise<void> {
		await mkdir(dirname(place), { recursive: true })
		try {
			await renameDurably(written, place)
		} catch (error) {
			if (codeOf(error) !== 'ENOENT' || tries === 1) throw error
			await this.#place(written, place, tries - 1)
		}
	}

	/** Removes the folder with its last file: a member's folder is named after their username. */
	override async delete(key: string): Promise<void> {
		await super.delete(key)
		await rmdir(dirname(join(this.#location, key))).catch(() => {})
	}
}

/** The keys of all files, without those of one folder. */
export async function* listFolder(settings: Pick<Config, 'dataDir'>, except: string): AsyncGenerator<string> {
	const root = mediaFolder(settings)
	for (const found of await readdir(root, { withFileTypes: true })) {
		if (found.name === INCOMING || found.name === except) continue
		if (found.isFile()) yield found.name
		else if (found.isDirectory()) yield* listWithin(root, found.name)
	}
}

/** The files of a folder in `root`; none of one that is removed with its last file meanwhile. */
async function* listWithin(root: string, folder: string): AsyncGenerator<string> {
	const entries = await readdir(join(root, folder), { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
		if (error.code === 'ENOENT') return []
		throw error
	})
	for (const found of entries) {
		const key = join(folder, found.name)
		if (found.isFile()) yield key
		else if (found.isDirectory()) yield* listWithin(root, key)
	}
}
