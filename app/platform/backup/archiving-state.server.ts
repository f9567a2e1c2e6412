import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { walFolder } from '~/platform/db/wal-archiving.server.ts'

/* How continuous archiving stands, in a file: whoever asks may be another process, or ask while the database is away. */

const stateSchema = z.object({
	/** The archive that is written to, and in which place; it is this data directory's alone. */
	place: z.string(),
	folder: z.string().nullable(),
	/** By which a changed passphrase is noticed: a salt and what scrypt makes of it; null where there is none. */
	passphraseMark: z.string().nullable(),
	/** The last file of the WAL that was archived. */
	last: z.object({ name: z.string(), at: z.iso.datetime() }).nullable(),
	/** Whether moments from now on need a new base: there is none yet, or something is missing since the last one. */
	needsBase: z.boolean(),
	base: z.object({ at: z.iso.datetime(), bytes: z.number() }).nullable(),
	/** What goes wrong, since when, in words; null while all is well. */
	trouble: z.object({ since: z.iso.datetime(), words: z.string() }).nullable(),
	/** Since when something is missing that was thrown away, as the place had been away for too long; null once there is a new base. */
	gapSince: z.iso.datetime().nullable(),
	lookedAt: z.iso.datetime(),
})
export type ArchivingState = z.infer<typeof stateSchema>

function fileOf(dataDir: string): string {
	return join(dataDir, 'site.archive.json')
}

/** How archiving of a data directory stands; null where it never began. */
export async function readArchivingState(dataDir: string): Promise<ArchivingState | null> {
	const text = await readFile(fileOf(dataDir), 'utf8').catch(() => 'null')
	try {
		return stateSchema.safeParse(JSON.parse(text)).data ?? null
	} catch {
		// A full disk may have cut it.
		return null
	}
}

export async function writeArchivingState(dataDir: string, state: ArchivingState): Promise<void> {
	await writeFile(fileOf(dataDir), JSON.stringify(state), { mode: 0o600 })
}

/** Archiving is off. */
export async function forgetArchivingState(dataDir: string): Promise<void> {
	await rm(fileOf(dataDir), { force: true })
}

/** The files of the WAL that wait to be archived, the oldest first. */
export async function waitingSegments(dataDir: string): Promise<string[]> {
	const names = await readdir(walFolder(dataDir)).catch(() => [])
	return names.filter((name) => !name.startsWith('.')).sort()
}

/** For how many seconds something has been waiting to be archived, or nobody has looked; 0 while all is well, null where archiving is off. */
export async function archivingLag(dataDir: string): Promise<number | null> {
	const state = await readArchivingState(dataDir)
	if (!state) return null
	const [oldest] = await waitingSegments(dataDir)
	const waiting = oldest ? await stat(join(walFolder(dataDir), oldest)).catch(() => null) : null
	const since = [waiting?.mtimeMs, state.trouble && Date.parse(state.trouble.since), lateLook(state)]
	const oldestProblem = Math.min(...since.filter((time) => typeof time === 'number'))
	return Number.isFinite(oldestProblem) ? Math.max(0, (Date.now() - oldestProblem) / 1_000) : 0
}

/** Milliseconds after which somebody should have looked again. */
const LATE_MS = 60_000

function lateLook({ lookedAt }: ArchivingState): number | null {
	const looked = Date.parse(lookedAt)
	return Date.now() - looked > LATE_MS ? looked : null
}
