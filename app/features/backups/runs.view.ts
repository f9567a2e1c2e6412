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

/** Bytes in the unit that people use: “24.3 MB”. */
export function sizeInWords(bytes: number): string {
	if (bytes < 1e6) return `${Math.max(1, Math.round(bytes / 1e3))} KB`
	return bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(1)} GB`
}

/** Seconds as “48 s” or “3 min”. */
export function secondsInWords(seconds: number): string {
	return seconds < 90 ? `${Math.max(1, Math.round(seconds))} s` : `${Math.round(seconds / 60)} min`
}
