export const backupsPath = '/admin/backups'

/** One run of the backup. */
export interface BackupRun {
	id: number
	/** ISO 8601. */
	startedAt: string
	state: 'running' | 'stands' | 'failed'
	/** Duration in seconds; null while it is running. */
	seconds: number | null
	/** Where the backup is stored; null without one. */
	file: string | null
	bytes: number | null
	/** Why it failed. */
	error: string | null
	/** Why older backups could not be removed. */
	trouble: string | null
}

/** The state of continuous archiving. */
export interface ArchivingView {
	/** `behind` if at least the last minute would be lost. */
	state: 'off' | 'begins' | 'well' | 'behind'
	words: string
	/** Where the archive is; null while archiving is off. */
	folder: string | null
	/** ISO 8601: up to when everything is archived, and when the last full copy was made. */
	upTo: string | null
	baseAt: string | null
	baseBytes: number | null
}

/** What the page of backups shows. */
export interface BackupsView {
	isScheduled: boolean
	/** ISO 8601: when the newest backup was made; null without one. */
	newest: string | null
	runs: BackupRun[]
	archive: ArchivingView
	/** ISO 8601: when the site was restored, until an admin confirms that it has replaced the original; otherwise null. */
	restoredAt: string | null
}

/** A duration such as “48 s” or “3 min”. */
export function secondsInWords(seconds: number): string {
	return seconds < 90 ? `${Math.max(1, Math.round(seconds))} s` : `${Math.round(seconds / 60)} min`
}
