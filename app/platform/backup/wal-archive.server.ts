import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { constants, zstdCompress, zstdDecompress } from 'node:zlib'
import { z } from 'zod'
import { makeFolder, renameDurably } from '~/lib/folders.server.ts'
import { InvalidBackup } from './archive.server.ts'
import { passphraseIdentity, passphraseRecipient } from './passphrase.server.ts'

/*
 * A continuous archive is a folder: `archive.json`; `key.age`, where there is a passphrase; `bases/`, copies of the whole cluster;
 * `wal/`, the WAL since then in segments of 16 MB before compression; `media/`, the pictures. File names contain times.
 */

const DAY_MS = 86_400_000

/** Matches the names of archives only. */
export const ARCHIVE_NAME = /^devquad-wal-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ$/
const SEGMENT_NAME = /^([\dA-F]{24})-(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ)\.zst(\.age)?$/
const BASE_NAME = /^(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ)-([\dA-F]{24})-([\dA-F]{24})\.tar\.zst(\.age)?$/

const shapeSchema = z.object({
	format: z.literal(1),
	/** The version of DevQuad that began it. */
	version: z.string(),
	madeAt: z.string(),
	/** The system identifier of the cluster. */
	system: z.string(),
	/** The public age key that everything is encrypted with; null where there is no passphrase. */
	recipient: z.string().nullable(),
})

/** An existing archive. */
export interface WalArchive {
	folder: string
	system: string
	recipient: string | null
}

/** An archived WAL segment. */
export interface WalSegment {
	/** PostgreSQL's name for it. */
	name: string
	/** Its position; consecutive segments have consecutive numbers. */
	number: number
	/** Everything committed before this moment is in this segment or an earlier one. */
	at: Date
	file: string
}

/** An archived copy of the cluster. */
export interface BaseBackup {
	file: string
	/** When it was complete: the first moment that can be restored from it. */
	at: Date
	/** The first and the last WAL segment that it needs. */
	start: string
	stop: string
}

/** A moment in a file name, in whole seconds. */
export function momentName(date: Date): string {
	return date.toISOString().replace(/\.\d+/, '').replaceAll(':', '-')
}

/** The moment that {@link momentName} wrote. */
export function momentOf(name: string): Date {
	return new Date(name.replace(/T(\d\d)-(\d\d)-(\d\d)Z$/, 'T$1:$2:$3Z'))
}

/** The position of a WAL segment within its timeline. */
export function segmentNumber(name: string): number {
	return Number.parseInt(name.slice(8, 16), 16) * 256 + Number.parseInt(name.slice(16), 16)
}

/**
 * Creates the folder of a new archive.
 * @param place an absolute path; the archive is a folder in it
 * @param passphrase protects the private key of the archive, which encrypts everything else
 * @throws the error of the file system
 */
export async function createArchive(
	place: string,
	{ system, version, passphrase }: { system: string; version: string; passphrase: string | null },
): Promise<WalArchive> {
	const now = new Date()
	const folder = join(place, `devquad-wal-${momentName(now)}`)
	for (const name of ['bases', 'wal', 'media']) await makeFolder(join(folder, name))
	let recipient: string | null = null
	if (passphrase !== null) {
		const { Encrypter, generateX25519Identity, identityToRecipient } = await import('age-encryption')
		const identity = await generateX25519Identity()
		recipient = await identityToRecipient(identity)
		const encrypter = new Encrypter()
		encrypter.addRecipient(passphraseRecipient(passphrase))
		await writeFileAtomically(join(folder, 'key.age'), await encrypter.encrypt(`${identity}\n`))
	}
	const shape = { format: 1, version, madeAt: now.toISOString(), system, recipient }
	await writeFileAtomically(join(folder, 'archive.json'), Buffer.from(`${JSON.stringify(shape, null, '\t')}\n`))
	return { folder, system, recipient }
}

/** The archive in a folder; null where there is none. */
export async function findWalArchive(folder: string): Promise<WalArchive | null> {
	const text = await readFile(join(folder, 'archive.json'), 'utf8').catch(() => '')
	const shape = shapeSchema.safeParse(parse(text))
	return shape.success ? { folder, system: shape.data.system, recipient: shape.data.recipient } : null
}

/** The archives in a folder, or the folder itself as the only one, the oldest first. */
export async function listArchives(place: string): Promise<WalArchive[]> {
	const own = await findWalArchive(place)
	if (own) return [own]
	const names = (await readdir(place).catch(() => [])).filter((name) => ARCHIVE_NAME.test(name)).sort()
	const found = await Promise.all(names.map((name) => findWalArchive(join(place, name))))
	return found.filter((archive) => archive !== null)
}

/** The private key of an encrypted archive; null where it is not encrypted. @throws InvalidBackup when the passphrase is wrong */
export async function archiveIdentity(archive: WalArchive, passphrase: string | null): Promise<string | null> {
	if (archive.recipient === null) return null
	if (passphrase === null)
		throw new InvalidBackup(`The archive ${archive.folder} is encrypted. Set BACKUP_PASSPHRASE to its passphrase.`)
	const { Decrypter } = await import('age-encryption')
	const decrypter = new Decrypter()
	decrypter.addIdentity(passphraseIdentity(passphrase))
	try {
		return (await decrypter.decrypt(await readFile(join(archive.folder, 'key.age')), 'text')).trim()
	} catch (error) {
		throw new InvalidBackup(`The passphrase is not that of the archive ${archive.folder}.`, { cause: error })
	}
}

/** The WAL segments in order; one that was handed over twice counts once. */
export async function listSegments({ folder }: WalArchive): Promise<WalSegment[]> {
	const byName = new Map<string, WalSegment>()
	for (const file of (await readdir(join(folder, 'wal'))).sort()) {
		const [, name, moment] = SEGMENT_NAME.exec(file) ?? []
		if (name && moment && !byName.has(name))
			byName.set(name, { name, number: segmentNumber(name), at: momentOf(moment), file: join(folder, 'wal', file) })
	}
	return [...byName.values()].sort((one, other) => one.number - other.number)
}

/** Copies of the cluster, the oldest first. */
export async function listBaseBackups({ folder }: WalArchive): Promise<BaseBackup[]> {
	const bases: BaseBackup[] = []
	for (const name of (await readdir(join(folder, 'bases'))).sort()) {
		const [, moment, start, stop] = BASE_NAME.exec(name) ?? []
		if (moment && start && stop) bases.push({ file: join(folder, 'bases', name), at: momentOf(moment), start, stop })
	}
	return bases
}

/**
 * Adds a WAL segment, compressed: one that was closed by the time limit is nearly empty. @param at everything committed before is
 * in it, or in an earlier one
 */
export async function writeSegment(archive: WalArchive, name: string, at: Date, contents: Uint8Array): Promise<void> {
	const compressed = await compress(contents, { params: { [constants.ZSTD_c_checksumFlag]: 1 } })
	const file = `${name}-${momentName(at)}.zst${archive.recipient ? '.age' : ''}`
	await writeFileAtomically(join(archive.folder, 'wal', file), await encryptFor(archive, compressed))
}

/** The contents of a WAL segment. @throws InvalidBackup when it is damaged */
export async function readSegment({ file }: WalSegment, identity: string | null): Promise<Buffer> {
	try {
		return await decompress(await decryptWith(identity, await readFile(file)))
	} catch (error) {
		throw new InvalidBackup(`The file ${file} is damaged or cannot be read.`, { cause: error })
	}
}

/** Encrypts with the archive's key, if it has one. */
export async function encryptFor({ recipient }: WalArchive, contents: Uint8Array): Promise<Uint8Array> {
	if (recipient === null) return contents
	const { Encrypter } = await import('age-encryption')
	const encrypter = new Encrypter()
	encrypter.addRecipient(recipient)
	return encrypter.encrypt(contents)
}

/** Decrypts what {@link encryptFor} has encrypted. */
export async function decryptWith(identity: string | null, contents: Uint8Array): Promise<Uint8Array> {
	if (identity === null) return contents
	const { Decrypter } = await import('age-encryption')
	const decrypter = new Decrypter()
	decrypter.addIdentity(identity)
	return decrypter.decrypt(contents)
}

/** Writes a file that is complete and on disk once it has its name. */
export async function writeFileAtomically(path: string, contents: Uint8Array): Promise<void> {
	await makeFolder(dirname(path))
	const partial = `${path}.partial`
	try {
		await writeFile(partial, contents, { mode: 0o600, flush: true })
		await renameDurably(partial, path)
	} catch (error) {
		await rm(partial, { force: true }).catch(() => {})
		throw error
	}
}

/**
 * Removes the base backups that no moment of the last `days` needs, and the WAL that only those needed. A base backup has to be that old,
 * and others of as many different days to be newer: a clock that is ahead for an hour makes all of them old, and after gaps several are
 * made within minutes. An older archive of the same cluster is removed when its last segment is older than the oldest base backup that
 * stays.
 * @returns the earliest moment that can still be restored; null while the archive does not cover all these days, or its base backups
 * were made on fewer
 */
export async function sweepArchive(archive: WalArchive, days: number, now = new Date()): Promise<Date | null> {
	const bases = await listBaseBackups(archive)
	const daysFrom = (index: number) => new Set(bases.slice(index).map(({ at }) => at.toISOString().slice(0, 10))).size
	const first = bases.findLastIndex(
		({ at }, index) => now.getTime() - at.getTime() >= days * DAY_MS && daysFrom(index + 1) >= days,
	)
	const oldest = bases[first]
	if (!oldest) return null
	for (const { file } of bases.slice(0, first)) await rm(file, { force: true })
	// Not that of the oldest: while the clock was behind, a newer one may have got the name of an older one.
	const start = Math.min(...bases.slice(first).map((base) => segmentNumber(base.start)))
	for (const segment of await listSegments(archive)) if (segment.number < start) await rm(segment.file, { force: true })
	for (const other of await listArchives(dirname(archive.folder))) {
		if (other.folder === archive.folder || other.system !== archive.system) continue
		const last = (await listSegments(other)).at(-1)
		if (!last || last.at < oldest.at) await rm(other.folder, { recursive: true, force: true })
	}
	return oldest.at
}

function parse(text: string): unknown {
	try {
		return JSON.parse(text)
	} catch {
		return null
	}
}

const compress = promisify(zstdCompress) as (
	contents: Uint8Array,
	options: { params: Record<number, number> },
) => Promise<Buffer>
const decompress = promisify(zstdDecompress) as (contents: Uint8Array) => Promise<Buffer>
