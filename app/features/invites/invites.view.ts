/** Where invitations are made and looked at. */
export const invitesPath = '/admin/invitations'
/** Where a list of addresses is uploaded. */
export const newListPath = `${invitesPath}/list`

/** The page of a list. */
export function listPath(id: number): string {
	return `${newListPath}/${id}`
}

/** What a list is doing: it was looked at, is being mailed, was stopped, or is mailed. */
export type ListState = 'draft' | 'sending' | 'stopped' | 'done'

/** A link to invite people with. Times are ISO 8601 in UTC. */
export interface InviteView {
	id: number
	cohort: string
	maxUses: number
	/** Members who came by it, and registrations that hold a use until their address is confirmed. */
	used: number
	expiresAt: string
	createdAt: string
	by: string | null
	state: 'open' | 'used up' | 'expired' | 'revoked'
}

/** A line of a file that was left out, with why in words. Lines are counted from 1. */
export interface LeftOut {
	line: number
	text: string
	why: string
}

/** What became of the lines of a file. */
export interface ListReport {
	lines: number
	valid: number
	doubled: number
	members: number
	refused: number
	invalid: number
	/** The first lines that were left out. */
	leftOut: LeftOut[]
}

/** A list of addresses that are invited. */
export interface InviteListView {
	id: number
	cohort: string
	state: ListState
	createdAt: string
	expiresAt: string
	by: string | null
	total: number
	mailed: number
	joined: number
	report: ListReport
}

/** Lines of a file that are shown as left out; all are counted. */
export const MAX_LEFT_OUT_SHOWN = 200
/** Lines that a file may have. */
export const MAX_LINES = 50_000
