import type { AddressProblemDetail } from '~/features/bounces/bounces.view.ts'
import type { LinkedLogin } from '~/features/campus-login/campus-login.view.ts'
import type { SignedIn } from '~/lib/viewer.ts'

/* Members as admins see them. Times are ISO 8601 in UTC. */

export const membersPath = '/admin/members'
export const membersCsvPath = '/admin/members.csv'

/** The page of bulk actions. */
export const bulkPath = '/admin/bulk'

/** The page of a member for admins. */
export function memberAdminPath(username: string): string {
	return `${membersPath}/${username}`
}

export const roles = ['member', 'moderator', 'admin'] as const
export type Role = SignedIn['role']

export const memberStates: Record<string, string> = {
	suspended: 'Suspended',
	leaving: 'Being deleted',
	left: 'Left the university',
	hidden: 'Profile hidden',
	unconfirmed: 'Address not confirmed',
	never: 'Never logged in',
	verified: 'Verified students',
	returned: 'Mail comes back',
}

/** Filters of the list; '' for none. */
export interface MemberFilters {
	/** A part of a name, a username or an address. */
	q: string
	role: string
	state: string
	/** Year of passing, four digits. */
	year: string
	/** The domain of the address. */
	domain: string
	/** The cohort, exactly. */
	cohort: string
	/** A part of the branch. */
	branch: string
	/** The first and the last day on which they registered, `YYYY-MM-DD`. */
	from: string
	to: string
	/** The day since which they have not logged in. */
	idle: string
	/** The id of the link that they registered with. */
	invite: string
	/** The id of the list of addresses that they were invited by. */
	list: string
}

/** Members per bulk action, as each is a transaction of the same request. */
export const MAX_BULK_MEMBERS = 500

/** Bulk actions by their names in forms. */
export const bulkActs = {
	suspend: 'Suspend',
	lift: 'End the suspension',
	'log-out': 'End all sessions',
	confirm: 'Confirm the address',
	moderator: 'Make moderators',
	member: 'Make ordinary members',
	cohort: 'Set the cohort',
} as const

export type BulkAct = keyof typeof bulkActs

/** Whether a form names a bulk action. */
export function isBulkAct(name: unknown): name is BulkAct {
	return typeof name === 'string' && Object.hasOwn(bulkActs, name)
}

/** In place of a bulk action: leads to the moderators' page that hides everything of several accounts. */
export const HIDE_EVERYTHING = 'hide-everything'

/** Members that page takes at once. */
export const MAX_HIDE_MEMBERS = 100

/** Members who are left out, by reason. */
export interface SkippedMembers {
	why: string
	usernames: string[]
}

/** A line of the list. */
export interface MemberSummary {
	id: number
	username: string
	name: string
	image: string | null
	email: string
	isConfirmed: boolean
	role: Role
	registeredAt: string
	loggedInAt: string | null
	/** `infinity` for a permanent suspension; null if not suspended. */
	suspendedUntil: string | null
	/** When the account is deleted; null if it is not to be. */
	leavesAt: string | null
	/** Since when the university says that they have left it; ISO 8601, null for everybody else. */
	leftCampusAt: string | null
	isHidden: boolean
	/** The cohort of their invitation, or that the university or an admin gave them; '' for none. */
	cohort: string
	/** The branch, if others than its member may see it; else ''. */
	branch: string
	/** The university of a verified student, or ''. */
	campus: string
	year: number | null
	/** Whether mail to one of their addresses bounces. */
	isMailReturned: boolean
}

/** A member with the data of their page. */
export interface MemberDetail extends MemberSummary {
	/** In words: which group of the university gave the role; empty for a role given by hand. */
	roleSource: string
	sessions: number
	tokens: number
	questions: number
	comments: number
	reports: number
	hasSecondFactor: boolean
	/** The number of passkeys. */
	passkeys: number
	/** In words: the password, accounts elsewhere with the name there, passkeys. */
	logins: string[]
	/** Their accounts elsewhere. */
	linked: Pick<LinkedLogin, 'id' | 'title' | 'name'>[]
	/** Problems of their addresses. */
	problems: AddressProblemDetail[]
}

/** The actions that have a form on a member's page, besides those of moderation. @param mayEnd whether the viewer may end their sessions */
export function memberForms(
	{ isConfirmed, leavesAt, problems, hasSecondFactor, passkeys, linked }: MemberDetail,
	mayEnd: boolean,
): string[] {
	return [
		...['role', 'rename', 'archive'],
		...(leavesAt === null ? ['delete'] : []),
		...(isConfirmed ? [] : ['confirm']),
		...(problems.some(({ kind }) => kind === 'returned') ? ['clear-mail'] : []),
		...(hasSecondFactor ? ['second-factor'] : []),
		...(passkeys > 0 ? ['passkeys'] : []),
		...(linked.length > 0 ? ['unlink'] : []),
		...(mayEnd ? ['log-out'] : []),
	]
}
