import { readdir, readFile, rm } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { z } from 'zod'
import { config } from '~/config.server.ts'
import { makeFolder } from '~/lib/folders.server.ts'
import { storage } from '~/platform/storage/storage.server.ts'
import { decryptWith, encryptFor, type WalArchive, writeFileAtomically } from './wal-archive.server.ts'

/*
 * Copies of pictures beside the WAL. Pictures never change, so each is copied once. Those in a bucket are not copied: they are on
 * other machines anyway.
 */

/** Failed pictures after which a run aborts, as the cause is then unlikely to be the pictures. */
const MAX_FAILED = 20

const goneSchema = z.record(z.string(), z.iso.datetime())

/** Copies new pictures into an archive, and removes those that no restorable moment needs. */
export class PictureMirror {
	readonly #archive: WalArchive
	#copied: Set<string> | undefined

	constructor(archive: WalArchive) {
		this.#archive = archive
	}

	/** Copies the pictures that the archive does not have yet. @throws the last error, once all others are copied */
	async copyNew(): Promise<void> {
		if (config().S3_BUCKET) return
		this.#copied ??= new Set(await listMirrored(this.#archive))
		const copied = this.#copied
		const failures: unknown[] = []
		for await (const key of (await storage()).list()) {
			if (copied.has(key)) continue
			try {
				if (await this.#copy(key)) copied.add(key)
			} catch (error) {
				failures.push(error)
				if (failures.length === MAX_FAILED) break
			}
		}
		if (failures.length > 0) throw failures.at(-1)
	}

	/** @returns false when it was deleted meanwhile; the same picture may be uploaded again */
	async #copy(key: string): Promise<boolean> {
		const contents = await (await storage()).read(key)
		if (!contents) return false
		await writeFileAtomically(this.#fileOf(key), await encryptFor(this.#archive, contents))
		return true
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
		await writeFileAtomically(file, Buffer.from(JSON.stringify(still)))
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
		yield { key, contents: await decryptWith(identity, await readFile(file)) }
	}
}

async function listMirrored({ folder, recipient }: WalArchive): Promise<string[]> {
	const media = join(folder, 'media')
	await makeFolder(media)
	const found = await readdir(media, { recursive: true, withFileTypes: true })
	return found
		.filter((entry) => entry.isFile() && !entry.name.endsWith('.partial'))
		.map((entry) => relative(media, join(entry.parentPath, entry.name)))
		.map((path) => (recipient ? path.replace(/\.age$/, '') : path))
}
