import { formatNumber, pluralize } from '~/lib/text.ts'

/** The page of invitations. */
export const invitesPath = '/admin/invitations'
/** The page that uploads a list of addresses. */
export const newListPath = `${invitesPath}/list`

/** The page of a list of addresses. */
export function listPath(id: number): string {
	return `${newListPath}/${id}`
}

/** The state of a list: checked but not mailed, being mailed, stopped, or mailed completely. */
export type ListState = 'draft' | 'sending' | 'stopped' | 'done'

/** An invitation link. Times are ISO 8601 in UTC. */
export interface InviteView {
	id: number
	cohort: string
	maxUses: number
	/** Members who registered with it, and unconfirmed registrations. */
	used: number
	expiresAt: string
	createdAt: string
	by: string | null
	state: 'open' | 'used up' | 'expired' | 'revoked'
}

/** A skipped line of a file, with the reason. Lines are numbered from 1. */
export interface SkippedLine {
	line: number
	text: string
	why: string
}

/** The result of reading a file. */
export interface ListReport {
	lines: number
	valid: number
	doubled: number
	members: number
	refused: number
	invalid: number
	/** The first skipped lines. */
	leftOut: SkippedLine[]
}

/** A list of invited addresses. */
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

/** How far a list is, in words. Some time after its links end, the addresses of those who did not join are deleted. */
export function progressOf({ total, mailed, joined, report: { valid } }: InviteListView): string {
	const areDeleted = total < valid && total === joined
	const of = (count: number) => pluralize(count, 'address', 'addresses')
	if (areDeleted) return `${formatNumber(joined)} of ${of(valid)} joined, the others are deleted`
	return `${formatNumber(mailed)} of ${of(total)} mailed, ${formatNumber(joined)} joined`
}

/** Skipped lines that are shown; all are counted. */
export const MAX_SKIPPED_SHOWN = 200
/** Lines per file. */
export const MAX_LIST_LINES = 50_000
