import { existsSync } from 'node:fs'
import { lchown, mkdir, open, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join, normalize } from 'node:path'
import pg from 'pg'
import { z } from 'zod'
import { config } from '~/config.server.ts'
import {
	abortPostgres,
	clusterOwner,
	type EmbeddedPostgres,
	startEmbeddedPostgres,
} from '~/platform/db/embedded-postgres.server.ts'
import { ownFolder } from '~/platform/db/postgres-owner.server.ts'
import {
	isBeingRestored,
	RECOVERY_SIGNAL,
	RESTORING,
	unpackingFolderOf,
} from '~/platform/db/postgres-process.server.ts'
import { forgetPasswords } from '~/platform/db/postgres-roles.server.ts'
import { openStorage } from '~/platform/storage/storage.server.ts'
import { type ArchiveEntry, InvalidBackup, readArchive } from './archive.server.ts'
import { detachArchive } from './archiving-state.server.ts'
import { mirroredPictures } from './picture-mirror.server.ts'
import { contentTypeOf, writeInto } from './restore.server.ts'
import { markRestored } from './restore-mark.queries.server.ts'
import { leaveOutIds } from './tables.queries.server.ts'
import {
	archiveIdentity,
	type BaseBackup,
	listArchives,
	listBaseBackups,
	listSegments,
	segmentNumber,
	type WalArchive,
	type WalSegment,
} from './wal-archive.server.ts'
import { RESTORE_COMMAND, WalFeeder } from './wal-feeder.server.ts'

interface RestoreInput {
	/** An absolute path: an archive, or a folder with archives. */
	folder: string
	/** The moment to restore; null for the latest. */
	to: Date | null
	passphrase: string | null
	dataDir: string
	onProgress?: (done: number, total: number) => void
	/** Aborts the restore, and removes the partly restored database. */
	signal?: AbortSignal
}

/** The result of a restore. */
interface ArchiveSummary {
	/** Everything committed before this moment was restored. */
	at: Date
	pictures: number
}

/** The base backup to start from, and the WAL to replay. */
interface Plan {
	archive: WalArchive
	base: BaseBackup
	segments: WalSegment[]
}

const headerSchema = z.object({ format: z.literal(1), folders: z.array(z.string()) })

/**
 * Restores an archive into an empty data directory, as of a moment: a copy of the cluster, the keys, the pictures, and last the WAL
 * after the copy. So a database that starts is a complete site; what a killed restore left is replaced. The caller holds the data
 * directory.
 * @throws InvalidBackup, or Error with one sentence, when the archive does not reach that moment or the directory has a database; the
 * reason of `signal`
 */
export async function restoreArchive(input: RestoreInput): Promise<ArchiveSummary> {
	const { dataDir, to, passphrase, onProgress, signal } = input
	const cluster = join(dataDir, 'postgres')
	const restoring = unpackingFolderOf(cluster)
	if (existsSync(cluster) && !isBeingRestored(cluster))
		throw new Error(
			`Nothing was restored: ${dataDir} has a database already. Restore an archive into an empty folder (DATA_DIR).`,
		)
	const { archive, base, segments } = await planRestore(input.folder, to)
	const identity = await archiveIdentity(archive, passphrase)
	// The server of a killed restore would wait for WAL forever.
	if (existsSync(cluster)) await abortPostgres(dataDir)
	await rm(cluster, { recursive: true, force: true })
	// Passwords of an interrupted restore are not those of the archive.
	forgetPasswords(dataDir)
	try {
		await unpack(base, identity, { dataDir, made: restoring, signal })
		const pictures = await placePictures(archive, identity, { dataDir, signal })
		await detachArchive(dataDir)
		await rename(restoring, cluster)
		await recover(dataDir, to, new WalFeeder(dataDir, segments, identity, { onProgress, signal }))
		await rm(join(cluster, RESTORING))
		return { at: to ?? segments.at(-1)?.at ?? base.at, pictures }
	} catch (error) {
		for (const folder of [restoring, cluster]) await rm(folder, { recursive: true, force: true })
		throw error
	}
}

/** @returns how many there are */
async function placePictures(
	archive: WalArchive,
	identity: string | null,
	{ dataDir, signal }: Pick<RestoreInput, 'dataDir' | 'signal'>,
): Promise<number> {
	const place = await openStorage({ ...config(), dataDir })
	let pictures = 0
	for await (const { key, contents } of mirroredPictures(archive, identity)) {
		signal?.throwIfAborted()
		await place.put(key, contents, contentTypeOf(key))
		pictures += 1
	}
	return pictures
}

/** @throws InvalidBackup with one sentence that says why the moment cannot be restored */
export async function planRestore(folder: string, to: Date | null): Promise<Plan> {
	const archives = await listArchives(folder)
	if (archives.length === 0) throw new InvalidBackup(`${folder} is not a continuous archive of a DevQuad site.`)
	if (new Set(archives.map(({ system }) => system)).size > 1)
		throw new InvalidBackup(
			`There are archives of several databases in ${folder}. Choose one: ${archives.map((one) => basename(one.folder)).join(', ')}.`,
		)
	const usable: Omit<Plan, 'segments'>[] = []
	let end = new Date(0)
	for (const archive of archives) {
		const segments = await listSegments(archive)
		const names = new Set(segments.map(({ name }) => name))
		const bases = await listBaseBackups(archive)
		if (bases.some(({ at }) => at < end))
			throw new InvalidBackup(
				`There are archives of two sites that ran at the same time in ${folder}, as of a site and its restored copy. Choose one: ${archives.map((one) => basename(one.folder)).join(', ')}.`,
			)
		end = segments.at(-1)?.at ?? end
		for (const base of bases) if (names.has(base.stop)) usable.push({ archive, base })
	}
	usable.sort((one, other) => one.base.at.getTime() - other.base.at.getTime())
	const [first] = usable
	if (!first) throw new InvalidBackup(`The archive ${folder} has no whole copy of the database yet.`)
	const chosen = usable.findLast(({ base }) => to === null || base.at <= to)
	if (!chosen) throw new InvalidBackup(`The archive begins at ${inWords(first.base.at)}. Choose a moment after that.`)
	const next = usable[usable.indexOf(chosen) + 1]
	return { ...chosen, segments: await segmentsAfter(chosen, to, next?.base.at) }
}

/** @param next when the next base backup begins, from which later moments can be restored */
async function segmentsAfter(
	{ archive, base }: Omit<Plan, 'segments'>,
	to: Date | null,
	next: Date | undefined,
): Promise<WalSegment[]> {
	const first = segmentNumber(base.start)
	const all = (await listSegments(archive)).filter(({ number }) => number >= first)
	const gap = all.findIndex(({ number }, index) => number !== first + index)
	const whole = gap === -1 ? all : all.slice(0, gap)
	const last = whole.at(-1)
	if (!last || last.number < segmentNumber(base.stop))
		throw new InvalidBackup(
			`A part of the archive ${archive.folder} is missing, without which nothing after ${inWords(base.at)} can be restored.`,
		)
	if (to !== null) requireOneMoment(whole, to)
	// PostgreSQL itself stops at the moment.
	if (to === null ? gap === -1 : to <= last.at) return whole
	if (gap === -1 && !next)
		throw new InvalidBackup(`The archive ends at ${inWords(last.at)}. Leave out --to to restore all of it.`)
	const after = next ? `, or after ${inWords(next)}` : ''
	throw new InvalidBackup(`A part of the archive is missing. Choose a moment up to ${inWords(last.at)}${after} (--to).`)
}

/** PostgreSQL stops at the first change after the moment. @throws InvalidBackup where changes before the moment come later */
function requireOneMoment(segments: WalSegment[], to: Date): void {
	const after = segments.findIndex(({ at }) => at > to)
	const ahead = segments[after]
	if (!ahead || !segments.slice(after).some(({ at }) => at <= to)) return
	throw new InvalidBackup(
		`The server's clock was ahead for a while, and said ${inWords(ahead.at)} before it was ${inWords(to)}. Choose a moment before that while, or after the next copy of the database, or leave out --to to restore all of it.`,
	)
}

function inWords(date: Date): string {
	return `${date.toISOString().slice(0, 19).replace('T', ' ')}Z`
}

/** Unpacks the cluster and the files beside it, readable by this account only. */
async function unpack(
	{ file }: BaseBackup,
	identity: string | null,
	{ dataDir, made, signal }: Pick<RestoreInput, 'dataDir' | 'signal'> & { made: string },
): Promise<void> {
	const owner = await clusterOwner(dataDir)
	await rm(made, { recursive: true, force: true })
	ownFolder(made, owner)
	for await (const entry of readArchive(file, identity === null ? null : { identity })) {
		signal?.throwIfAborted()
		if (entry.name === 'base.json') await makeFolders(entry, made, file)
		else if (entry.name.startsWith('data/')) await writeInto(dataDir, entry.name.slice(5), entry.contents)
		else await writePiece(made, entry)
	}
	for (const name of [RECOVERY_SIGNAL, RESTORING]) await writeFile(join(made, name), '', { mode: 0o600 })
	if (owner.uid !== undefined && owner.gid !== undefined)
		for (const { parentPath, name } of await readdir(made, { recursive: true, withFileTypes: true }))
			await lchown(join(parentPath, name), owner.uid, owner.gid)
}

async function makeFolders({ contents }: ArchiveEntry, made: string, file: string): Promise<void> {
	const header = headerSchema.safeParse(JSON.parse(Buffer.from(contents).toString()))
	if (!header.success) throw new InvalidBackup(`${file} is not a copy of a DevQuad database.`)
	for (const name of header.data.folders) await mkdir(within(made, name), { recursive: true, mode: 0o700 })
}

async function writePiece(made: string, { name, contents }: ArchiveEntry): Promise<void> {
	const [, offset, path] = /^cluster\/(\d+)\/(.+)$/.exec(name) ?? []
	if (!path) return
	const place = within(made, path)
	await mkdir(dirname(place), { recursive: true, mode: 0o700 })
	const file = await open(place, offset === '0' ? 'w' : 'r+', 0o600)
	try {
		await file.write(contents, 0, contents.length, Number(offset))
	} finally {
		await file.close()
	}
}

function within(folder: string, path: string): string {
	const place = join(folder, path)
	if (place !== normalize(place) || !place.startsWith(`${folder}/`) || path.split('/').includes('..'))
		throw new InvalidBackup(`The archive names the file ${path}, which is outside the database.`)
	return place
}

/** Has PostgreSQL replay the WAL up to the moment, and stops it. Nobody can connect before. */
async function recover(dataDir: string, to: Date | null, feeder: WalFeeder): Promise<void> {
	const options = ['hot_standby=off', `restore_command=${RESTORE_COMMAND}`]
	const target = to ? [`recovery_target_time=${forPostgres(to)}`, 'recovery_target_action=promote'] : []
	const stopFeeding = await feeder.start()
	try {
		const postgres = await startEmbeddedPostgres(dataDir, [...options, ...target]).catch(async (error: Error) => {
			// Nothing was committed between the moment and the end of the WAL, so all of it is the state at that moment.
			if (to && error.message.includes('before configured recovery target was reached'))
				return await startEmbeddedPostgres(dataDir, options)
			throw feeder.failure ?? error
		})
		await markAsRestored(postgres).finally(() => postgres.stop())
		// PostgreSQL takes a missing segment for the end of the WAL.
		if (feeder.failure) throw feeder.failure
	} finally {
		await stopFeeding()
	}
}

async function markAsRestored({ connection }: EmbeddedPostgres): Promise<void> {
	const client = new pg.Client(connection)
	// The current statement gets the error.
	client.on('error', () => {})
	await client.connect()
	try {
		await leaveOutIds(client)
		await markRestored(client)
	} finally {
		await client.end()
	}
}

/** Uses an offset: names of time zones are not known yet when PostgreSQL reads this. */
function forPostgres(moment: Date): string {
	return moment.toISOString().replace('T', ' ').replace('Z', '+00')
}
