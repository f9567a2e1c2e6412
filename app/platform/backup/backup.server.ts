import type { Dirent } from 'node:fs'
import { mkdir, mkdtemp, open, readdir, readFile, rm, stat, statfs } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { z } from 'zod'
import { Unavailable } from '~/lib/errors.ts'
import { makeFolder } from '~/lib/folders.server.ts'
import { log } from '~/lib/log.server.ts'
import { formatBytes } from '~/lib/sizes.ts'
import { codeOf } from '~/lib/system-errors.ts'
import { storage } from '~/platform/storage/storage.server.ts'
import { type ArchiveEntry, archiveEnding, PARTIAL, writePartial } from './archive.server.ts'
import {
	beginSnapshot,
	connectOutsidePool,
	copyOut,
	listMigrations,
	listTables,
	readSequences,
	readSizes,
	readWaitingJobs,
	type TableTotal,
} from './tables.queries.server.ts'
import { ARCHIVE_NAME, momentOf } from './wal-archive.server.ts'

/* The entries of a backup, in this order: `backup.json`, `jobs.json`, `tables/{name}/{number}`, `media/{key}`, `data/{file}`, `totals.json`. */

/** The first entry: what has to be known before the first row. */
export const headerSchema = z.object({
	format: z.literal(1),
	/** DevQuad's version. */
	version: z.string(),
	/** ISO 8601: the moment of the database snapshot. */
	madeAt: z.string(),
	migrations: z.array(z.string()),
	tables: z.array(z.object({ name: z.string(), columns: z.array(z.string()) })),
	sequences: z.record(z.string(), z.string().nullable()),
})
export type BackupHeader = z.infer<typeof headerSchema>

/** The last entry. A backup without it is incomplete. */
export const totalsSchema = z.object({
	tables: z.record(z.string(), z.object({ rows: z.number(), sha256: z.string() })),
	files: z.number(),
})
export type BackupTotals = z.infer<typeof totalsSchema>

/**
 * Files of a data directory that are not copied: PostgreSQL and locks, which a restored site makes itself; pictures, which are read
 * from the storage; backups; and archives of members that are being made.
 */
const NOT_COPIED = /^(postgres|site\.|media$|cluster$|backups$|archives$)/

/** Matches the names of backups only. */
const BACKUP_NAME = /^devquad-(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ)\.tar\.zst(\.age)?$/
/** The prefix of folders in which a backup is restored to verify it. */
const TRIAL_FOLDER = '.devquad-verify-'

interface BackupInput {
	/** An absolute path: a folder, in which the backup is named after its time, or the file itself. */
	to: string
	/** Whether `to` is a folder even if it is not there yet; it is created then. */
	isFolder?: boolean
	passphrase: string | null
	dataDir: string
	/** DevQuad's version. */
	version: string
	onProgress?: (what: 'database' | 'files', done: number, total: number) => void
	/** Aborts the backup, and removes what was written. */
	signal?: AbortSignal
}

/** The result of a backup. */
export interface BackupSummary {
	file: string
	bytes: number
	rows: number
	/** Pictures and other files. */
	files: number
}

/**
 * Backs up the running site into one file: a snapshot of the database, then the pictures, then the keys of the data directory.
 * Pictures never change and are stored before a row names them, so they may be read later than the snapshot. `nameArchive` has to
 * give the file its name once it is verified: until then it replaces no earlier backup, and does not count as one.
 * @throws Error with one sentence when the file cannot be written; any error once `signal` has ended it
 */
export async function makeBackup({
	to,
	isFolder = false,
	passphrase,
	dataDir,
	version,
	onProgress,
	signal,
}: BackupInput): Promise<BackupSummary> {
	const madeAt = new Date()
	const name = `devquad-${madeAt.toISOString().replace(/\.\d+/, '').replaceAll(':', '-')}${archiveEnding(passphrase)}`
	const file = isFolder || (await isExistingFolder(to)) ? join(to, name) : to
	if (isFolder) await createFolder(to)
	const client = await connectOutsidePool()
	// A statement may wait for a lock.
	signal?.addEventListener('abort', () => client.end())
	const totals: BackupTotals = { tables: {}, files: 0 }
	try {
		await beginSnapshot(client)
		const header = await readHeader(client, version, madeAt)
		const entries = entriesOf(client, header, { dataDir, file, signal }, totals, onProgress)
		const bytes = await writePartial(file, passphrase, signal ? until(signal, entries) : entries)
		const rows = Object.values(totals.tables).reduce((sum, table) => sum + table.rows, 0)
		return { file, bytes, rows, files: totals.files }
	} finally {
		await client.end()
	}
}

async function readHeader(client: pg.ClientBase, version: string, madeAt: Date): Promise<BackupHeader> {
	const migrations = await listMigrations(client)
	if (migrations.length === 0) throw new Error('There is no site here yet, so there is nothing to back up.')
	const tables = await listTables(client)
	return {
		format: 1,
		version,
		madeAt: madeAt.toISOString(),
		migrations,
		tables,
		sequences: await readSequences(client),
	}
}

async function* entriesOf(
	client: pg.ClientBase,
	header: BackupHeader,
	files: { dataDir: string; file: string; signal: AbortSignal | undefined },
	totals: BackupTotals,
	onProgress: BackupInput['onProgress'],
): AsyncGenerator<ArchiveEntry> {
	yield json('backup.json', header)
	yield json('jobs.json', await readWaitingJobs(client))
	const sizes = await readSizes(client, header.tables)
	const all = sizes.reduce((sum, size) => sum + size, 0)
	let done = 0
	for (const [index, table] of header.tables.entries()) {
		totals.tables[table.name] = yield* numbered(`tables/${table.name}`, copyOut(client, table))
		done += sizes[index] ?? 0
		onProgress?.('database', done, all)
	}
	// Reading the pictures may take hours, during which migrations and the vacuum would have to wait.
	await client.query('commit')
	for await (const entry of filesOf(files, onProgress)) {
		totals.files += 1
		yield entry
	}
	yield json('totals.json', totals)
}

async function* until(signal: AbortSignal, entries: AsyncIterable<ArchiveEntry>): AsyncGenerator<ArchiveEntry> {
	for await (const entry of entries) {
		signal.throwIfAborted()
		yield entry
	}
	signal.throwIfAborted()
}

async function* numbered(
	folder: string,
	pieces: AsyncGenerator<Buffer, TableTotal>,
): AsyncGenerator<ArchiveEntry, TableTotal> {
	for (let number = 1; ; number += 1) {
		const { done, value } = await pieces.next()
		if (done) return value
		yield { name: `${folder}/${number}`, contents: value }
	}
}

/** Skips files that are deleted meanwhile: their deletion came after the snapshot. */
async function* filesOf(
	{ dataDir, file, signal }: { dataDir: string; file: string; signal: AbortSignal | undefined },
	onProgress: BackupInput['onProgress'],
): AsyncGenerator<ArchiveEntry> {
	const pictures = await storage()
	const keys = await withRetries(() => allOf(pictures.list()), signal)
	for (const [index, key] of keys.entries()) {
		const contents = await withRetries(() => pictures.read(key), signal)
		if (contents) yield { name: `media/${key}`, contents }
		onProgress?.('files', index + 1, keys.length)
	}
	for await (const entry of dataFiles(dataDir, file)) yield entry
}

async function allOf(keys: AsyncIterable<string>): Promise<string[]> {
	const all: string[] = []
	for await (const key of keys) all.push(key)
	return all
}

/** Milliseconds between the attempts to read from the storage: a bucket may be away for a minute, which must not end the work of hours. */
const READ_PAUSES_MS = [1_000, 5_000, 15_000, 60_000]

async function withRetries<Result>(read: () => Promise<Result>, signal: AbortSignal | undefined): Promise<Result> {
	for (const pause of READ_PAUSES_MS)
		try {
			return await read()
		} catch (error) {
			if (!(error instanceof Unavailable)) throw error
			log.warn({ err: error }, 'pictures cannot be read for a backup; this is tried again')
			await sleep(pause, undefined, signal ? { signal } : {})
		}
	return await read()
}

/**
 * The files of a data directory that a restored site needs and cannot make itself, as `data/{file}`. Backups and archives in it are
 * left out under any name of their folder: each would contain all earlier ones.
 * @param target the backup that is being written
 * @throws Error with one sentence when a file cannot be read
 */
export async function* dataFiles(dataDir: string, target?: string): AsyncGenerator<ArchiveEntry> {
	for (const top of await readdir(dataDir, { withFileTypes: true })) {
		if (NOT_COPIED.test(top.name)) continue
		for await (const path of filesAt(top)) {
			if (path === target || path === `${target}${PARTIAL}`) continue
			const contents = await unlessGone(path, readFile(path))
			if (contents) yield { name: `data/${relative(dataDir, path)}`, contents }
		}
	}
}

/** The file itself, or the files of a folder. Links to files are followed, as a secret may be mounted elsewhere. */
async function* filesAt(found: Dirent): AsyncGenerator<string> {
	if (isOfBackups(found.name)) return
	const path = join(found.parentPath, found.name)
	const isLink = found.isSymbolicLink()
	if (found.isFile() || (isLink && (await unlessGone(path, stat(path)))?.isFile())) yield path
	if (!found.isDirectory()) return
	for (const entry of (await unlessGone(path, readdir(path, { withFileTypes: true }))) ?? []) yield* filesAt(entry)
}

function isOfBackups(name: string): boolean {
	return BACKUP_NAME.test(name.replace(PARTIAL, '')) || ARCHIVE_NAME.test(name) || name.startsWith(TRIAL_FOLDER)
}

/** @returns null when the file is not there any more @throws Error with one sentence */
async function unlessGone<Result>(path: string, reading: Promise<Result>): Promise<Result | null> {
	try {
		return await reading
	} catch (error) {
		if (codeOf(error) === 'ENOENT') return null
		throw new Error(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}.`, {
			cause: error,
		})
	}
}

function json(name: string, value: unknown): ArchiveEntry {
	return { name, contents: Buffer.from(`${JSON.stringify(value, null, '\t')}\n`) }
}

/** Creates no parents: a missing one is rather a disk that is not mounted, or a typing error. */
async function createFolder(path: string): Promise<void> {
	await mkdir(path, { mode: 0o700 }).catch(async (error: NodeJS.ErrnoException) => {
		if (await isExistingFolder(path)) return
		throw new Error(`There is no folder ${path}, and it cannot be created: ${error.message}.`, { cause: error })
	})
}

async function isExistingFolder(path: string): Promise<boolean> {
	const handle = await open(path).catch(() => null)
	try {
		return (await handle?.stat())?.isDirectory() ?? false
	} finally {
		await handle?.close()
	}
}

/**
 * Removes the oldest backups of a folder until `count` are left, and partial ones that a killed process left. Other files stay.
 * @param made the name of the backup that was just made, which stays
 * @returns the names of the removed backups
 */
export async function removeOldBackups(folder: string, count: number, made: string): Promise<string[]> {
	const names = await readdir(folder)
	const old = oldBackups(names, count, made)
	for (const name of old) await rm(join(folder, name))
	await removeLeft(
		folder,
		names.filter((name) => name.endsWith(PARTIAL) && BACKUP_NAME.test(name.slice(0, -PARTIAL.length))),
	)
	return old
}

/** Milliseconds after which an unfinished backup, or a folder for verification, must belong to a killed process. */
const LEFT_AFTER_MS = 12 * 3_600_000

/**
 * Creates a folder for verifying a backup, and removes those that killed processes left there.
 * @param folder that of the backup, whose disk has the space
 * @param own a folder of the site, used where the disk of the backup has no permissions, as one of Windows: PostgreSQL does not start there
 * @param needed bytes that a restored site takes, about; must be free on the site's own disk, so that the site itself does not run out of space
 * @returns its path
 * @throws Error with one sentence when they are not
 */
export async function makeTrialFolder(folder: string, own: string, needed: number): Promise<string> {
	await removeLeft(
		folder,
		(await readdir(folder)).filter((name) => name.startsWith(TRIAL_FOLDER)),
	)
	const made = await mkdtemp(join(folder, TRIAL_FOLDER))
	if (((await stat(made)).mode & 0o777) === 0o700 || folder === own) return made
	await rm(made, { recursive: true })
	await makeFolder(own)
	const { bavail, bsize } = await statfs(own)
	if (bavail * bsize < needed)
		throw new Error(
			`The backup cannot be verified: its disk has no permissions, and that of ${own} has not the ${formatBytes(needed)} that this takes. Back up to another disk.`,
		)
	return makeTrialFolder(own, own, needed)
}

/** Removes those that have not been changed for {@link LEFT_AFTER_MS}. */
async function removeLeft(folder: string, names: string[]): Promise<void> {
	for (const name of names) {
		const path = join(folder, name)
		// A file that is still being written may be renamed or removed meanwhile.
		const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }))
		if (Date.now() - mtimeMs > LEFT_AFTER_MS) await rm(path, { recursive: true, force: true })
	}
}

/** When a backup was made, by its name; null for other files. */
export function backupMoment(name: string): Date | null {
	const [, moment] = BACKUP_NAME.exec(name) ?? []
	return moment ? momentOf(moment) : null
}

/**
 * The oldest of these backups that exceed `count`.
 * @param count how many backups are kept
 * @param made the backup that was just made: by its name it may seem older than others, if the clock was wrong
 */
export function oldBackups(names: readonly string[], count: number, made: string): string[] {
	const others = names.filter((name) => BACKUP_NAME.test(name) && name !== made).sort()
	const kept = BACKUP_NAME.test(made) ? count - 1 : count
	return others.slice(0, Math.max(0, others.length - kept))
}
