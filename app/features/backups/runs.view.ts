export const backupsPath = '/admin/backups'

/** A try of a backup. */
export interface BackupRun {
	id: number
	/** ISO 8601. */
	startedAt: string
	state: 'running' | 'stands' | 'failed'
	/** Seconds that it took; null while it is being made. */
	seconds: number | null
	/** Where it stands; null otherwise. */
	file: string | null
	bytes: number | null
	/** Why there is none. */
	error: string | null
}

/** How continuous archiving stands. */
export interface ArchiveView {
	/** In one sentence; it is `behind` where the last minute would be lost, or more. */
	state: 'off' | 'begins' | 'well' | 'behind'
	words: string
	/** Where it is; null while it is off. */
	folder: string | null
	/** ISO 8601: up to when all is archived for certain, and when the database was last copied whole. */
	upTo: string | null
	baseAt: string | null
	baseBytes: number | null
}

/** Seconds as “48 s” or “3 min”. */
export function secondsInWords(seconds: number): string {
	return seconds < 90 ? `${Math.max(1, Math.round(seconds))} s` : `${Math.round(seconds / 60)} min`
}
