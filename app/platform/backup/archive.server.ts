import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { open, rm, stat } from 'node:fs/promises'
import { PassThrough, Readable, Writable } from 'node:stream'
import { bytes } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { createZstdCompress, createZstdDecompress } from 'node:zlib'
import { createTarDecoder, createTarPacker } from 'modern-tar'
import { renameDurably } from '~/lib/folders.server.ts'
import { diskError } from '~/lib/system-errors.ts'
import { passphraseIdentity, passphraseRecipient, WORK_FACTOR } from './passphrase.server.ts'

/** The first bytes of a file: https://github.com/C2SP/C2SP/blob/main/age.md, and RFC 8878. */
const AGE_HEADER = Buffer.from('age-encryption.org/v1\n')
const ZSTD_MAGIC = Buffer.from([0x28, 0xb5, 0x2f, 0xfd])

/**
 * The last entry: the SHA-256 of all names and contents before it. Without it, a truncated file would pass: Node's Zstandard reader
 * reports no error.
 */
const SEAL = 'sha256'

/** The ending of the name of an archive that is being written. */
export const PARTIAL = '.partial'

/** One file of an archive. It is held in memory whole, so large content is split into several entries. */
export interface ArchiveEntry {
	name: string
	contents: Uint8Array
}

/** A backup that cannot be used; the message is one sentence for the operator. */
export class InvalidBackup extends Error {}

/** What a file is encrypted with: a passphrase or the public key of an archive; null for no encryption. */
export type EncryptionKey = string | { recipient: string } | null

/** What decrypts such a file: the passphrase or the private key. */
export type DecryptionKey = string | { identity: string } | null

/** The extension of an archive: tar, compressed with Zstandard, encrypted with age where there is a key. */
export function archiveEnding(key: EncryptionKey): string {
	return key === null ? '.tar.zst' : '.tar.zst.age'
}

/**
 * Writes an archive that only this account can read. It gets its name once it is complete and on disk, see {@link writePartial}.
 * @returns bytes of the file
 * @throws Error with one sentence when the file cannot be written; any error of the generator of entries
 */
export async function writeArchive(...writing: Parameters<typeof writePartial>): Promise<number> {
	const bytes = await writePartial(...writing)
	await nameArchive(writing[0])
	return bytes
}

/**
 * Writes an archive that only this account can read, and that still has to be named by {@link nameArchive}: its name ends in
 * `.partial`, and an error removes it.
 * @param file its path once it is named
 * @param key a passphrase encrypts it as `age -p` does, a recipient as `age -r`
 * @param workFactor cost of each guess of the passphrase, as a power of two; lower for tests
 * @returns bytes of the file
 * @throws Error with one sentence when the file cannot be written; any error of the generator of entries
 */
export async function writePartial(
	file: string,
	key: EncryptionKey,
	entries: AsyncIterable<ArchiveEntry>,
	workFactor = WORK_FACTOR,
): Promise<number> {
	const partial = `${file}${PARTIAL}`
	try {
		await pipeline(
			tarOf(entries),
			createZstdCompress(),
			key === null ? new PassThrough() : (source) => encrypt(source, key, workFactor),
			createWriteStream(partial, { mode: 0o600, flush: true }),
		)
		return (await stat(partial)).size
	} catch (error) {
		await rm(partial, { force: true })
		throw inWords(error, file)
	}
}

/**
 * Gives an archive its name, in place of an earlier one.
 * @param tryIt verifies it before that; when it throws, the archive is removed
 * @throws any error of `tryIt`
 */
export async function nameArchive(file: string, tryIt?: (partial: string) => Promise<void>): Promise<void> {
	const partial = `${file}${PARTIAL}`
	try {
		await tryIt?.(partial)
		await renameDurably(partial, file)
	} catch (error) {
		await rm(partial, { force: true })
		throw inWords(error, file)
	}
}

async function* tarOf(entries: AsyncIterable<ArchiveEntry>): AsyncGenerator<Uint8Array> {
	const { readable, controller } = createTarPacker()
	const seal = createHash('sha256')
	const add = async ({ name, contents }: ArchiveEntry) => {
		const writer = controller.add({ name, size: contents.length, mode: 0o600, type: 'file' }).getWriter()
		await writer.write(contents)
		await writer.close()
	}
	const added = (async () => {
		for await (const entry of entries) {
			seal.update(entry.name).update(entry.contents)
			await add(entry)
		}
		await add({ name: SEAL, contents: seal.digest() })
		controller.finalize()
	})()
	// An entry that fails makes the tar stream fail with the same error.
	added.catch((error) => controller.error(error))
	yield* readable
	await added
}

async function* encrypt(
	source: AsyncIterable<Uint8Array>,
	key: string | { recipient: string },
	workFactor: number,
): AsyncGenerator<Uint8Array> {
	const { Encrypter } = await import('age-encryption')
	const encrypter = new Encrypter()
	encrypter.addRecipient(typeof key === 'string' ? passphraseRecipient(key, workFactor) : key.recipient)
	yield* await encrypter.encrypt(Readable.toWeb(Readable.from(source)) as ReadableStream<Uint8Array>)
}

function inWords(error: unknown, file: string): unknown {
	const { code, path } = error as NodeJS.ErrnoException
	if (code === 'ENOENT' && path === `${file}${PARTIAL}`) return new Error(`There is no folder for the backup ${file}.`)
	const disk = diskError(error)
	return disk ? new Error(`The backup cannot be written to ${file}: ${disk}.`, { cause: error }) : error
}

/**
 * Reads an archive from beginning to end.
 * @param onBytes called with the number of bytes read so far
 * @throws InvalidBackup when the file is no archive, is incomplete, or the passphrase is wrong
 */
export async function* readArchive(
	file: string,
	key: DecryptionKey,
	onBytes: (done: number, total: number) => void = () => {},
): AsyncGenerator<ArchiveEntry> {
	const isSecret = await isEncrypted(file)
	const { size } = await stat(file)
	const stored = createReadStream(file)
	stored.on('data', () => onBytes(stored.bytesRead, size))
	stored.pause()
	const decrypted = isSecret ? await decrypt(stored, key, file) : stored
	const tar = createTarDecoder({ strict: true })
	// The consumer of the entries gets the error.
	pipeline(decrypted, createZstdDecompress(), Writable.fromWeb(tar.writable)).catch(() => {})
	const seal = createHash('sha256')
	let isSealed = false
	try {
		for await (const { header, body } of tar.readable) {
			const entry = { name: header.name, contents: await bytes(body) }
			if (entry.name === SEAL) isSealed = seal.digest().equals(entry.contents)
			else {
				seal.update(entry.name).update(entry.contents)
				yield entry
			}
		}
		if (!isSealed) throw new Error('The seal is not there, or is another one.')
	} catch (error) {
		throw new InvalidBackup(`The backup ${file} is damaged or not whole: it cannot be read to its end.`, {
			cause: error,
		})
	} finally {
		stored.destroy()
	}
}

/** Whether a file is an archive that this key opens; it may still be incomplete. */
export async function isArchiveOf(file: string, key: DecryptionKey): Promise<boolean> {
	const entries = readArchive(file, key)
	try {
		return !(await entries.next()).done
	} catch {
		return false
	} finally {
		await entries.return(undefined)
	}
}

/** @throws InvalidBackup when the file is no archive */
async function isEncrypted(file: string): Promise<boolean> {
	const handle = await open(file).catch((error: NodeJS.ErrnoException) => {
		throw new InvalidBackup(error.code === 'ENOENT' ? `There is no file ${file}.` : `${file} cannot be read.`)
	})
	try {
		if (!(await handle.stat()).isFile()) throw new InvalidBackup(`${file} is not a file.`)
		const { buffer, bytesRead } = await handle.read(Buffer.alloc(AGE_HEADER.length), 0, AGE_HEADER.length, 0)
		if (buffer.equals(AGE_HEADER)) return true
		if (bytesRead >= ZSTD_MAGIC.length && buffer.subarray(0, ZSTD_MAGIC.length).equals(ZSTD_MAGIC)) return false
		throw new InvalidBackup(`${file} is not a backup of a DevQuad site.`)
	} finally {
		await handle.close()
	}
}

async function decrypt(stored: Readable, key: DecryptionKey, file: string): Promise<AsyncIterable<Uint8Array>> {
	if (key === null) throw new InvalidBackup(`The backup ${file} is encrypted. Set BACKUP_PASSPHRASE to its passphrase.`)
	const { Decrypter } = await import('age-encryption')
	const decrypter = new Decrypter()
	decrypter.addIdentity(typeof key === 'string' ? passphraseIdentity(key) : key.identity)
	try {
		return await decrypter.decrypt(Readable.toWeb(stored) as ReadableStream<Uint8Array>)
	} catch (error) {
		throw new InvalidBackup(`The passphrase is not that of the backup ${file}.`, { cause: error })
	}
}
