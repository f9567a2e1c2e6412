import type { AddressProblemDetail } from '~/features/bounces/bounces.view.ts'
import type { SignedIn } from '~/lib/viewer.ts'

/* Members as admins see them. Times are ISO 8601 in UTC. */

export const membersPath = '/admin/members'
export const membersCsvPath = '/admin/members.csv'

/** What is done to many at once. */
export const bulkPath = '/admin/bulk'

export function memberAdminPath(username: string): string {
	return `${membersPath}/${username}`
}

export const roles = ['member', 'moderator', 'admin'] as const
export type Role = SignedIn['role']

export const memberStates: Record<string, string> = {
	suspended: 'Suspended',
	hidden: 'Profile hidden',
	unconfirmed: 'Address not confirmed',
	never: 'Never logged in',
	verified: 'Verified students',
	returned: 'Mail comes back',
}

/** What the list is narrowed to; '' for all. */
export interface MemberFilters {
	/** Part of a name, a username or an address. */
	q: string
	role: string
	state: string
	/** Year of passing, four digits. */
	year: string
	/** What stands behind the @ of the address. */
	domain: string
	/** What their invitation said of them, whole. */
	cohort: string
	/** The id of the link that they came by. */
	invite: string
}

/** Members who are chosen at once at most: each is a transaction of the same request. */
export const MAX_CHOSEN = 500

/** What can be done to many members at once, by its name in forms. */
export const bulkActs = {
	suspend: 'Suspend',
	lift: 'End the suspension',
	'log-out': 'End all sessions',
	confirm: 'Confirm the address',
	moderator: 'Make moderators',
	member: 'Make ordinary members',
} as const
export type BulkAct = keyof typeof bulkActs

/** Whether a form names an action that can be done to many members. */
export function isBulkAct(name: unknown): name is BulkAct {
	return typeof name === 'string' && Object.hasOwn(bulkActs, name)
}

/** Members for whom an act is not done, by the reason. */
export interface LeftOut {
	why: string
	usernames: string[]
}

/** A line of the list. */
export interface MemberLine {
	id: number
	username: string
	name: string
	image: string | null
	email: string
	isConfirmed: boolean
	role: Role
	registeredAt: string
	loggedInAt: string | null
	/** `infinity` for one without end; null when not suspended. */
	suspendedUntil: string | null
	isHidden: boolean
	/** What their invitation said of them, else ''. */
	cohort: string
	/** The university of a verified student, else ''. */
	campus: string
	year: number | null
	/** Mail to an address of theirs comes back. */
	isMailReturned: boolean
}

/** A member with what only their page shows. */
export interface MemberDetail extends MemberLine {
	sessions: number
	tokens: number
	questions: number
	comments: number
	reports: number
	hasSecondFactor: boolean
	/** How many they have. */
	passkeys: number
	/** What is wrong with their addresses. */
	problems: AddressProblemDetail[]
}
