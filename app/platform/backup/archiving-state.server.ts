import { readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { walFolder } from '~/platform/db/wal-archiving.server.ts'

/* The state of continuous archiving, in a file: it is also read by other processes, and while the database is unavailable. */

const stateSchema = z.object({
	/** The archive in use, and the folder it is in. It belongs to this data directory alone. */
	place: z.string(),
	folder: z.string().nullable(),
	/** Detects a changed passphrase: a salt and the scrypt hash; null where there is none. */
	passphraseMark: z.string().nullable(),
	/** The last WAL segment that was archived. */
	last: z.object({ name: z.string(), at: z.iso.datetime() }).nullable(),
	/** Whether a new base backup is needed: there is none yet, or WAL after the last one was discarded. */
	needsBase: z.boolean(),
	base: z.object({ at: z.iso.datetime(), bytes: z.number() }).nullable(),
	/** The current error, and since when; null while all is well. */
	trouble: z.object({ since: z.iso.datetime(), words: z.string() }).nullable(),
	/** Since when WAL is missing that was discarded during a long outage of the destination; null once there is a new base backup. */
	gapSince: z.iso.datetime().nullable(),
	lookedAt: z.iso.datetime(),
})
export type ArchivingState = z.infer<typeof stateSchema>

function fileOf(dataDir: string): string {
	return join(dataDir, 'site.archive.json')
}

/** The state of archiving of a data directory; null where it never began. */
export async function readArchivingState(dataDir: string): Promise<ArchivingState | null> {
	const text = await readFile(fileOf(dataDir), 'utf8').catch(() => 'null')
	try {
		return stateSchema.safeParse(JSON.parse(text)).data ?? null
	} catch {
		// An earlier version may have truncated it on a full disk.
		return null
	}
}

/**
 * Stores the state of archiving. A process that reads it meanwhile, or a kill or a full disk, finds a whole state: without one, the
 * archive would look as if it had never begun, and a gap in it would be forgotten.
 */
export async function writeArchivingState(dataDir: string, state: ArchivingState): Promise<void> {
	const file = fileOf(dataDir)
	const written = `${file}.written`
	await writeFile(written, JSON.stringify(state), { mode: 0o600, flush: true })
	await rename(written, file)
}

/** Removes the state when archiving is turned off. */
export async function forgetArchivingState(dataDir: string): Promise<void> {
	await rm(fileOf(dataDir), { force: true })
}

/**
 * Makes the database that is restored into a data directory begin an archive of its own: continuing that of the one before, its WAL
 * would count as archived already. Segments that still wait are put aside, as no archive has them.
 */
export async function detachArchive(dataDir: string): Promise<void> {
	await forgetArchivingState(dataDir)
	const aside = `${walFolder(dataDir)}-before-restore`
	if ((await waitingSegments(dataDir)).length === 0) return rm(walFolder(dataDir), { recursive: true, force: true })
	await rm(aside, { recursive: true, force: true })
	await rename(walFolder(dataDir), aside)
}

/** WAL segments that wait to be archived, the oldest first. */
export async function waitingSegments(dataDir: string): Promise<string[]> {
	const names = await readdir(walFolder(dataDir)).catch(() => [])
	return names.filter((name) => !name.startsWith('.')).sort()
}

/** Seconds for which a segment has been waiting, or nothing has checked; 0 while all is well, null where archiving is off. */
export async function archivingLag(dataDir: string): Promise<number | null> {
	const state = await readArchivingState(dataDir)
	if (!state) return null
	const [oldest] = await waitingSegments(dataDir)
	const waiting = oldest ? await stat(join(walFolder(dataDir), oldest)).catch(() => null) : null
	const since = [waiting?.mtimeMs, state.trouble && Date.parse(state.trouble.since), lateLook(state)]
	const oldestProblem = Math.min(...since.filter((time) => typeof time === 'number'))
	return Number.isFinite(oldestProblem) ? Math.max(0, (Date.now() - oldestProblem) / 1_000) : 0
}

/** Milliseconds after which the next check is overdue. */
const LATE_MS = 60_000

function lateLook({ lookedAt }: ArchivingState): number | null {
	const looked = Date.parse(lookedAt)
	return Date.now() - looked > LATE_MS ? looked : null
}
