/* Members who have left the university, as admins see them. Times are ISO 8601 in UTC. */

export const leaversPath = '/admin/leavers'

/** Lines of a list. */
export const MAX_LIST_LINES = 20_000

/** Somebody who has left, or is about to be marked. */
export interface LeaverView {
	id: number
	username: string
	name: string
	email: string
}

/** The last check of the directory. */
export interface CheckView {
	id: number
	at: string
	state: 'done' | 'held' | 'failed' | 'confirmed' | 'ignored'
	/** Members who were looked up. */
	asked: number
	/** Members who were missing for at least two nights. */
	missing: number
	/** A few of those whom a held check found missing. */
	sample: LeaverView[]
}

/** The page of those who have left. */
export interface LeaversPage {
	/** Whether there is a directory to check. */
	hasDirectory: boolean
	check: CheckView | null
	/** Moderators and admins whom the directory no longer has. */
	staff: LeaverView[]
	/** Those marked last, newest first. */
	leavers: (LeaverView & { leftAt: string })[]
	/** The settings in one sentence. */
	rule: string
}

/** A line of a list that marks nobody. */
export interface SkippedLine {
	line: number
	text: string
	why: string
}

/** What a list would do. */
export interface ListPreview {
	members: LeaverView[]
	/** The first of the lines left out. */
	leftOut: SkippedLine[]
	/** All lines left out. */
	leftOutCount: number
}
