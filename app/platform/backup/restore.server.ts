import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join, normalize } from 'node:path'
import { runMigrations } from 'graphile-worker'
import type pg from 'pg'
import { pool } from '~/platform/db/db.server.ts'
import { markRestore, migrate, unmarkRestore } from '~/platform/db/migrate.server.ts'
import { storage } from '~/platform/storage/storage.server.ts'
import { type ArchiveEntry, InvalidBackup, readArchive } from './archive.server.ts'
import { detachArchive } from './archiving-state.server.ts'
import { type BackupHeader, type BackupTotals, headerSchema, totalsSchema } from './backup.server.ts'
import { markRestored } from './restore-mark.queries.server.ts'
import {
	beginLoading,
	connectOutsidePool,
	copyIn,
	countOtherConnections,
	dropEverything,
	hasMembers,
	listMigrations,
	restoreCounters,
	totalOf,
	type WaitingJob,
} from './tables.queries.server.ts'

interface RestoreInput {
	/** An absolute path. */
	file: string
	passphrase: string | null
	dataDir: string
	/** The migrations of this version: their folder, and their names. */
	migrations: { folder: string; names: string[] }
	onProgress?: (done: number, total: number) => void
	/** Aborts the restore; the database stays as it was. */
	signal?: AbortSignal
}

/** The result of a restore. */
export interface RestoreSummary {
	/** The version of DevQuad that made the backup. */
	version: string
	madeAt: string
	rows: number
	files: number
}

/**
 * Restores a backup into the open, empty database and data directory. The database changes in one transaction, which is committed
 * once every table matches the totals of the backup and every file is in place.
 * @throws InvalidBackup, or Error with one sentence when somebody has an account here, another program uses the database, or a newer
 * version made the backup; any error once `signal` has ended it
 */
export async function restoreBackup(input: RestoreInput): Promise<RestoreSummary> {
	const { file, passphrase, migrations, onProgress, signal } = input
	const entries = readArchive(file, passphrase, onProgress)
	const header = await readHeader(entries, file)
	const unknown = header.migrations.find((name) => !migrations.names.includes(name))
	if (unknown)
		throw new InvalidBackup(
			`The backup was made by version ${header.version}, whose database is newer than this version knows (${unknown}). Update first.`,
		)
	const client = await connectOutsidePool()
	// A statement may take minutes, such as one that checks all foreign keys.
	const end = () => client.end()
	signal?.addEventListener('abort', end)
	try {
		signal?.throwIfAborted()
		await requireEmpty(client)
		await detachArchive(input.dataDir)
		const { rows, files } = await fill(client, header, entries, input)
		signal?.removeEventListener('abort', end)
		await client.query('analyze')
		return { version: header.version, madeAt: header.madeAt, rows, files }
	} finally {
		await client.end()
		await entries.return(undefined)
	}
}

/** Makes the tables and loads them; until that is done, or has failed in order, no site can be started on them. */
async function fill(
	client: pg.Client,
	header: BackupHeader,
	entries: AsyncGenerator<ArchiveEntry>,
	input: RestoreInput,
): Promise<{ rows: number; files: number }> {
	try {
		await makeTables(client, header, input.migrations.folder)
		return await load(client, header, entries, input)
	} catch (error) {
		// The open transaction would keep the mark.
		await client.end()
		await unmarkRestore(pool()).catch(() => {})
		throw error
	}
}

async function readHeader(entries: AsyncGenerator<ArchiveEntry>, file: string): Promise<BackupHeader> {
	const { value } = await entries.next()
	const header = value?.name === 'backup.json' ? headerSchema.safeParse(parse(value)) : null
	if (!header?.success) throw new InvalidBackup(`${file} is not a backup of a DevQuad site.`)
	return header.data
}

async function requireEmpty(client: pg.ClientBase): Promise<void> {
	await requireNoMembers(client)
	if ((await countOtherConnections(client)) > 0)
		throw new Error('Nothing was restored: another program uses this database. Stop the site first.')
}

async function requireNoMembers(client: pg.ClientBase): Promise<void> {
	if (await hasMembers(client))
		throw new Error(
			'Nothing was restored: this site has members already. Restore into an empty folder (DATA_DIR) or database (DATABASE_URL).',
		)
}

/** Migrates the database to the version of the backup; the next start migrates it further. */
async function makeTables(client: pg.ClientBase, { migrations }: BackupHeader, folder: string): Promise<void> {
	const applied = await listMigrations(client)
	await client.query('begin')
	if (applied.some((name) => !migrations.includes(name))) await dropEverything(client)
	await markRestore(client)
	await client.query('commit')
	await migrate(pool(), folder, migrations)
	await runMigrations({ pgPool: pool() })
}

/** Reads all entries and commits. */
async function load(
	client: pg.ClientBase,
	header: BackupHeader,
	entries: AsyncGenerator<ArchiveEntry>,
	{ file, dataDir, signal }: RestoreInput,
): Promise<{ rows: number; files: number }> {
	const pictures = await storage()
	// Again, as a site may have been started since.
	const finish = await beginLoading(client, header.tables, () => requireNoMembers(client))
	let jobs: WaitingJob[] = []
	let totals: BackupTotals | null = null
	let files = 0
	for await (const entry of entries) {
		signal?.throwIfAborted()
		const [folder, name = '', rest = ''] = splitName(entry.name)
		if (folder === 'jobs.json') jobs = parse(entry) as WaitingJob[]
		else if (folder === 'totals.json') totals = totalsSchema.safeParse(parse(entry)).data ?? null
		else if (folder === 'tables') {
			const table = header.tables.find((shape) => shape.name === name)
			if (!table) throw new InvalidBackup(`The backup ${file} has rows of the unknown table ${name}.`)
			await copyIn(client, table, entry.contents)
		} else {
			files += 1
			const path = rest ? `${name}/${rest}` : name
			if (folder === 'media') await pictures.put(path, entry.contents, contentTypeOf(path))
			else await writeInto(dataDir, path, entry.contents)
		}
	}
	if (!totals || totals.files !== files) throw new InvalidBackup(`The backup ${file} is not whole.`)
	await finish()
	for (const table of header.tables) {
		const total = await totalOf(client, table)
		if (total.sha256 !== totals.tables[table.name]?.sha256)
			throw new InvalidBackup(`The backup ${file} is damaged: the table ${table.name} is not what was backed up.`)
	}
	await restoreCounters(client, header.sequences, jobs)
	await unmarkRestore(client)
	await markRestored(client)
	await client.query('commit')
	return { rows: Object.values(totals.tables).reduce((sum, { rows }) => sum + rows, 0), files }
}

/** Splits a path into its first folder, the second, and the rest. */
function splitName(name: string): string[] {
	const [folder = '', next = '', ...rest] = name.split('/')
	return [folder, next, rest.join('/')]
}

/** Writes a file of an archive. @throws InvalidBackup when its path leads out of the folder */
export async function writeInto(folder: string, path: string, contents: Uint8Array): Promise<void> {
	const place = join(folder, path)
	if (place !== normalize(place) || !place.startsWith(`${folder}/`) || path.split('/').includes('..'))
		throw new InvalidBackup(`The backup names the file ${path}, which is outside the data directory.`)
	await mkdir(dirname(place), { recursive: true, mode: 0o700 })
	await writeFile(place, contents, { mode: 0o600, flush: true })
}

/** The content type of a picture, by the extension of its key. */
export function contentTypeOf(path: string): string {
	return path.endsWith('.png') ? 'image/png' : path.endsWith('.jpg') ? 'image/jpeg' : 'image/webp'
}

function parse({ contents }: ArchiveEntry): unknown {
	try {
		return JSON.parse(Buffer.from(contents).toString())
	} catch {
		return null
	}
}
