import { mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { z } from 'zod'
import { config } from '~/config.server.ts'
import { storage } from '~/platform/storage/storage.server.ts'
import { lock, placeFile, unlock, type WalArchive } from './wal-archive.server.ts'

/*
 * Copies of pictures beside the WAL. Pictures never change, so each is copied once. Those in a bucket are not copied: they are on
 * other machines anyway.
 */

const goneSchema = z.record(z.string(), z.iso.datetime())

/** Copies new pictures into an archive, and removes those that no restorable moment needs. */
export class PictureMirror {
	readonly #archive: WalArchive
	#copied: Set<string> | undefined

	constructor(archive: WalArchive) {
		this.#archive = archive
	}

	/** Copies the pictures that the archive does not have yet. */
	async copyNew(): Promise<void> {
		if (config().S3_BUCKET) return
		this.#copied ??= new Set(await listMirrored(this.#archive))
		const pictures = await storage()
		for await (const key of pictures.list()) {
			if (this.#copied.has(key)) continue
			const contents = await pictures.read(key)
			// Deleted meanwhile; the same picture may be uploaded again.
			if (!contents) continue
			await placeFile(this.#fileOf(key), await lock(this.#archive, contents))
			this.#copied.add(key)
		}
	}

	/** Notes which pictures the site has deleted, and removes copies that it had deleted before `oldest`. */
	async sweep(oldest: Date): Promise<void> {
		if (config().S3_BUCKET) return
		const there = new Set<string>()
		for await (const key of (await storage()).list()) there.add(key)
		const file = join(this.#archive.folder, 'deleted-pictures.json')
		const gone = goneSchema.safeParse(JSON.parse(await readFile(file, 'utf8').catch(() => '{}'))).data ?? {}
		const still: Record<string, string> = {}
		for (const key of await listMirrored(this.#archive)) {
			if (there.has(key)) continue
			const since = gone[key] ?? new Date().toISOString()
			if (new Date(since) >= oldest) still[key] = since
			else {
				await rm(this.#fileOf(key), { force: true })
				this.#copied?.delete(key)
			}
		}
		await placeFile(file, Buffer.from(JSON.stringify(still)))
	}

	#fileOf(key: string): string {
		return join(this.#archive.folder, 'media', `${key}${this.#archive.recipient ? '.age' : ''}`)
	}
}

/** The pictures of an archive, with their keys. */
export async function* mirroredPictures(
	archive: WalArchive,
	identity: string | null,
): AsyncGenerator<{ key: string; contents: Uint8Array }> {
	for (const key of await listMirrored(archive)) {
		const file = join(archive.folder, 'media', `${key}${archive.recipient ? '.age' : ''}`)
		yield { key, contents: await unlock(identity, await readFile(file)) }
	}
}

async function listMirrored({ folder, recipient }: WalArchive): Promise<string[]> {
	const media = join(folder, 'media')
	await mkdir(media, { recursive: true, mode: 0o700 })
	const found = await readdir(media, { recursive: true, withFileTypes: true })
	return found
		.filter((entry) => entry.isFile() && !entry.name.endsWith('.partial'))
		.map((entry) => relative(media, join(entry.parentPath, entry.name)))
		.map((path) => (recipient ? path.replace(/\.age$/, '') : path))
}
