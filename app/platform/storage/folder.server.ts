import { randomUUID } from 'node:crypto'
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { FSDriver } from 'flydrive/drivers/fs'
import type { Config } from '~/config.server.ts'

/** Milliseconds after which a file that is still being written belongs to a process that is no more. */
const abandonedAfter = 60 * 60_000

/** The folder `media` of the data directory, without what a crash left half written. */
export async function openFolder({ dataDir }: Pick<Config, 'dataDir'>): Promise<FSDriver> {
	const location = join(dataDir, 'media')
	const incoming = join(location, '.incoming')
	await mkdir(incoming, { recursive: true })
	for (const name of await readdir(incoming)) {
		const file = join(incoming, name)
		const written = await stat(file).catch(() => null)
		if (written && Date.now() - written.mtimeMs > abandonedAfter) await rm(file, { force: true })
	}
	return new Folder(location, incoming)
}

/** FlyDrive writes a file in its place, where a reader may meet half of it; here it appears whole, and is on the disk. */
class Folder extends FSDriver {
	readonly #location: string
	readonly #incoming: string

	constructor(location: string, incoming: string) {
		super({ location, visibility: 'private' })
		this.#location = location
		this.#incoming = incoming
	}

	override async put(key: string, contents: string | Uint8Array): Promise<void> {
		const written = join(this.#incoming, randomUUID())
		const place = join(this.#location, key)
		try {
			await writeFile(written, contents, { flush: true })
			await mkdir(dirname(place), { recursive: true })
			await rename(written, place)
		} catch (error) {
			// On a full disk the half that was written would take up room for nothing.
			await rm(written, { force: true }).catch(() => {})
			throw error
		}
	}
}
