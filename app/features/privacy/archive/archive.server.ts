import { randomBytes } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { makeZip } from 'client-zip'
import { config } from '~/config.server.ts'
import { lockMember } from '~/features/accounts/accounts.queries.server.ts'
import { widthsOf } from '~/features/pictures/pictures.view.ts'
import { countUse } from '~/features/rate-limits/rate-limits.server.ts'
import { securingAdvice } from '~/features/sessions/passwords.server.ts'
import { recordSecurityEvent } from '~/features/sessions/security-log.server.ts'
import { Conflict, NotFound } from '~/lib/errors.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import type { Feature } from '~/platform/feature.ts'
import { BatchRun } from '~/platform/jobs/batch-run.server.ts'
import { addJob } from '~/platform/jobs/jobs.server.ts'
import { linkMail } from '~/platform/mail/mail.server.ts'
import type { Leaver, MemberTable } from '~/platform/member-data.ts'
import { siteName } from '~/platform/settings/site-name.server.ts'
import { type PrivateKey, storage } from '~/platform/storage/storage.server.ts'
import { ARCHIVE_DAYS, DATA_PATH } from '../privacy.limits.ts'
import {
	beginArchive,
	countPicturesOf,
	deleteArchive,
	findArchive,
	finishArchive,
	listExpiredArchives,
	listPicturesOf,
	readRows,
	recordProgress,
} from './archive.queries.server.ts'
import { ARCHIVE_README, describeArchiveFiles, markdownFileOf } from './texts.server.ts'

declare module '~/platform/jobs/jobs.server.ts' {
	interface Jobs {
		/** A requested archive, by the name of its file. */
		'make-archive': { userId: number; name: string }
		/** The file of an archive that has been replaced, or whose account has been merged. */
		'remove-archive': { name: string }
	}
}

interface ArchivedTable {
	feature: string
	table: string
	entry: MemberTable
}

let tables: readonly ArchivedTable[] = []

/** Registers what each feature exports. */
export function registerTables(features: readonly Feature[]): void {
	tables = features.flatMap(({ name: feature, memberData = {} }) =>
		Object.entries(memberData).flatMap(([table, entry]) =>
			typeof entry === 'string' || typeof entry.archive === 'string' ? [] : [{ feature, table, entry }],
		),
	)
}

/** A member's archive as their page shows it. */
export interface ArchiveView {
	/** Per cent while it is being made; null when it is finished. */
	progress: number | null
	bytes: number
	/** ISO 8601; null while it is being made. */
	endsAt: string | null
}

/** A member's archive; null for none, and for one that will not be finished. */
export async function getArchive(member: Pick<SignedIn, 'id'>): Promise<ArchiveView | null> {
	const row = await findArchive(member.id)
	if (!row || row.is_over || row.stuck) return null
	const progress = row.ready_at ? null : Math.floor((100 * row.done) / Math.max(1, row.parts))
	return { progress, bytes: row.bytes ?? 0, endsAt: row.ends_at?.toISOString() ?? null }
}

/**
 * Queues an archive of everything that is stored about a member, and replaces an older one.
 * @param asker the member, or an admin on their behalf; only the member is notified and can fetch it
 * @param record stores who asked, in the same transaction, once the member is locked
 * @throws Conflict while one is being made, TooManyRequests
 */
export async function requestArchive(
	member: Pick<SignedIn, 'id'>,
	asker: SignedIn,
	record: (trx: Executor) => Promise<void> = async () => {},
): Promise<void> {
	await countUse('archives', asker)
	const name = `${randomBytes(24).toString('base64url')}.zip`
	await db()
		.transaction()
		.execute(async (trx) => {
			await lockMember(trx, member.id)
			const row = await findArchive(member.id, trx)
			if (row && !row.ready_at && !row.stuck)
				throw new Conflict('The archive is already being made. You will get an email when it is ready.')
			await record(trx)
			if (row) await addJob('remove-archive', { name: row.name }, trx)
			await beginArchive(trx, member.id, name)
			await addJob('make-archive', { userId: member.id, name }, trx)
		})
	const detail: Record<string, number> = asker.id === member.id ? {} : { by: asker.id }
	await recordSecurityEvent('archive-requested', { userId: member.id, detail })
}

const noArchiveMessage = 'There is no archive to download. Ask for one first.'

/** The file of a member's archive. @throws NotFound if there is none or it has expired */
export async function openArchive(member: SignedIn): Promise<{ file: Readable; bytes: number }> {
	const row = await findArchive(member.id)
	if (!row?.ready_at || row.is_over) throw new NotFound(noArchiveMessage)
	const file = await (await storage()).stream(keyOf(row.name))
	if (!file) {
		// The site was restored: a backup has the row and not the file.
		await deleteArchive(member.id, row.name)
		throw new NotFound(noArchiveMessage)
	}
	await recordSecurityEvent('archive-fetched', { userId: member.id })
	return { file, bytes: row.bytes ?? 0 }
}

/** Makes an archive; stops if it was cancelled. A retry after an interruption starts again. */
export async function makeArchive({ userId, name }: { userId: number; name: string }): Promise<void> {
	const parts = tables.length + (await countPicturesOf(userId))
	const folder = join(config().dataDir, 'archives')
	await mkdir(folder, { recursive: true, mode: 0o700 })
	const file = join(folder, `${name}.partial`)
	try {
		// A process that was killed may have left the file of an archive that was cancelled since.
		if (!(await recordProgress(userId, name, parts, 0))) return
		await pipeline(
			makeZip(entriesOf(userId, name, parts)) as AsyncIterable<Uint8Array>,
			createWriteStream(file, { mode: 0o600 }),
		)
		await (await storage()).putLarge(keyOf(name), file, 'application/zip')
		if (!(await finish(userId, name, (await stat(file)).size))) await removeArchiveFile(name)
	} finally {
		await rm(file, { force: true })
	}
}

/** Marks an archive as finished, and queues the mail about it. @returns false if it was cancelled */
function finish(userId: number, name: string, bytes: number): Promise<boolean> {
	return db()
		.transaction()
		.execute(async (trx) => {
			const member = await finishArchive(trx, { userId, name, bytes })
			if (member) await addJob('send-mail', readyMail(member, await securingAdvice(userId, trx)), trx)
			return member !== undefined
		})
}

interface ZipEntry {
	name: string
	input: string | Uint8Array | AsyncIterable<string>
}

/** Pictures per query. */
const PICTURES_AT_ONCE = 100

/** Yields the entries of the archive as they are written, so that at most a few rows or one picture are in memory. */
async function* entriesOf(userId: number, name: string, parts: number): AsyncGenerator<ZipEntry> {
	let done = 0
	const progress = async () => {
		done += 1
		// Once per cent, as each update is a statement.
		if (done % Math.ceil(parts / 100) !== 0) return
		if (!(await recordProgress(userId, name, parts, done))) throw new Error('The archive is no longer needed.')
	}
	yield { name: 'README.txt', input: ARCHIVE_README }
	yield {
		name: 'schema.txt',
		input: describeArchiveFiles(tables.map(({ feature, table, entry }) => [fileOf(feature, table), entry.archive])),
	}
	for (const { feature, table, entry } of tables) {
		const rows = jsonOf(readRows(table, entry, userId))
		try {
			yield { name: fileOf(feature, table), input: rows }
		} finally {
			// When the file cannot be written, the library leaves what it was reading open, and with it a connection to the database.
			await rows.return()
		}
		const markdown = markdownFileOf(table)
		if (markdown) for await (const row of readRows(table, entry, userId)) yield markdown(row)
		await progress()
	}
	const files = await storage()
	for (let after = ''; ; ) {
		const paths = await listPicturesOf(userId, after, PICTURES_AT_ONCE)
		for (const path of paths) {
			const contents = await files.read(`${path}-${Math.max(...widthsOf(path))}.webp`)
			if (contents) yield { name: `pictures/${path}.webp`, input: contents }
			await progress()
		}
		after = paths.at(-1) ?? ''
		if (paths.length < PICTURES_AT_ONCE) return
	}
}

function fileOf(feature: string, table: string): string {
	return `data/${feature}/${table}.json`
}

/** Encodes rows as a JSON array, one per line. */
async function* jsonOf(rows: AsyncIterable<Record<string, unknown>>): AsyncGenerator<string, void> {
	let before = '[\n'
	for await (const row of rows) {
		yield `${before}${JSON.stringify(row)}`
		before = ',\n'
	}
	yield before === '[\n' ? '[]\n' : '\n]\n'
}

function keyOf(name: string): PrivateKey {
	return `archives/${name}`
}

/** Deletes the file of an archive, by the name in its row. */
export async function removeArchiveFile(name: string): Promise<void> {
	await (await storage()).remove(keyOf(name))
}

function readyMail({ email, name }: { email: string; name: string }, advice: string) {
	const { publicUrl } = config()
	return linkMail(
		email,
		`Your ${siteName()} data is ready`,
		`Hello ${name}, the archive of your data that you asked for can be downloaded for ${ARCHIVE_DAYS} days.`,
		{ label: 'Download it', url: `${publicUrl}${DATA_PATH}` },
		`If you did not ask for it, somebody else is logged in to your account: ${advice}.`,
	)
}

/**
 * Deletes expired archives, and incomplete ones after a crash; call it regularly.
 * @throws the last error, if an archive could not be deleted; the others are deleted
 */
export async function sweepArchives(): Promise<void> {
	const run = new BatchRun('an expired archive could not be deleted')
	const idOf = (archive: { user_id: number }) => archive.user_id
	await run.each(await listExpiredArchives(), idOf, async ({ user_id, name }) => {
		await removeArchiveFile(name)
		await deleteArchive(user_id, name)
	})
	await sweepPartialArchives()
	run.finish()
}

async function sweepPartialArchives(): Promise<void> {
	const folder = join(config().dataDir, 'archives')
	for (const file of await readdir(folder).catch(() => [])) {
		const { mtimeMs } = await stat(join(folder, file)).catch(() => ({ mtimeMs: Date.now() }))
		if (Date.now() - mtimeMs > 86_400_000) await rm(join(folder, file), { force: true })
	}
}

/** Deletes the archive of a leaving member. */
export async function leaveArchive({ id }: Leaver): Promise<boolean> {
	const row = await findArchive(id)
	if (row) {
		await removeArchiveFile(row.name)
		await deleteArchive(id, row.name)
	}
	return false
}
