import { isModerator, type SignedIn, type Viewer } from '~/lib/viewer.ts'

/* Names that moderation uses, and its permissions. The browser uses both, without zod. */

/** The subject type of a member, in cases, the log and addresses. Addresses name a member by username. */
export const MEMBER_SUBJECT = 'profile'

/** The log's name for a category, which admins manage. */
export const CATEGORY_SUBJECT = 'category'
/** The log's name for a setting, which is no subject either. */
export const SETTING_SUBJECT = 'setting'
/** The log's name for a list of invited addresses, by its id, and for an invitation link, with the id 0. */
export const INVITATION_SUBJECT = 'invitation'
/** The log's name for a webhook, which may have been deleted. */
export const WEBHOOK_SUBJECT = 'webhook'

export type Reason = 'spam' | 'off-topic' | 'abusive' | 'other'

/** A reason for a report. */
export interface ReasonChoice {
	value: string
	label: string
	hint: string
}

export const reasons: readonly (ReasonChoice & { value: Reason })[] = [
	{ value: 'spam', label: 'Spam', hint: 'Advertising, or the same text again and again.' },
	{ value: 'off-topic', label: 'Off-topic', hint: 'It does not belong here.' },
	{ value: 'abusive', label: 'Abusive', hint: 'It insults, threatens or exposes somebody.' },
	{ value: 'other', label: 'Something else', hint: 'Say below what is wrong.' },
]

export const suspensionDurations = ['1 day', '1 week', '1 month', 'for ever'] as const
export type SuspensionDuration = (typeof suspensionDurations)[number]

/** Filter of the queue by assignee. */
export const assigneeFilters = ['all', 'mine', 'none'] as const
export type AssigneeFilter = (typeof assigneeFilters)[number]

/** Whether others see a subject, and if not, why; `gone` was deleted by its author. */
export type SubjectState = 'visible' | 'hidden' | 'waiting' | 'merged' | 'gone'

/** Actions that a feature can allow on its subjects. */
export const subjectActs = [
	'approve',
	'refuse',
	'hide',
	'restore',
	'lock',
	'unlock',
	'pin',
	'pin-everywhere',
	'unpin',
	'merge',
	'clean',
	'unmask',
] as const
export type SubjectAct = (typeof subjectActs)[number]

/** Actions on any subject: dismiss its reports, suspend its author, end that. */
export type Act = SubjectAct | 'dismiss' | 'suspend' | 'lift'

/** A part of a subject that can be removed separately. */
export interface SubjectPart {
	/** The value to send for it. */
	value: string
	label: string
	/** The beginning of its text; '' where there is none. */
	beginning: string
}

/** The form of an action that needs more than a reason, on the subject's page. */
export interface ActField {
	/** Heading of its form. */
	title: string
	/** Name of the field. */
	name: string
	label: string
	/** The name of the field in errors. */
	shortLabel: string
	hint: string
	/** Whether one of the subject's parts is chosen; otherwise a line of text, or an optional date. */
	choosesPart?: boolean
	isDay?: boolean
}

/** Who reads the reason for one of these actions, as a hint: the author or member is notified of all but a dismissal, with the reason. */
export function whyHint(acts: readonly Act[], kind: string): string {
	if (acts.every((act) => act === 'dismiss')) return 'Admins see this in the log.'
	const reader = kind === MEMBER_SUBJECT || acts.includes('suspend') || acts.includes('lift') ? 'member' : 'author'
	return `The ${reader} sees this${acts.includes('dismiss') ? ', unless you dismiss' : ''}. Admins see it in the log.`
}

/** Whether this viewer may report something; nobody reports their own posts. */
export function mayReport(viewer: Viewer, target: { authorId: number }): viewer is SignedIn {
	return viewer !== null && viewer.id !== target.authorId
}

/** Whether this viewer may see the queue and decide cases. */
export function mayModerate(viewer: Viewer): viewer is SignedIn {
	return isModerator(viewer)
}

/** Whether this viewer may see an unpublished text: its author, and moderators. */
export function maySeeUnpublished(viewer: Viewer, text: { authorId: number }): boolean {
	return viewer?.id === text.authorId || isModerator(viewer)
}

/** Whether this viewer may change an unpublished text, or delete a comment: its author, while it is pending. */
export function mayChangePending(viewer: Viewer, text: { authorId: number; status: string }): boolean {
	return viewer?.id === text.authorId && text.status === 'pending'
}

/** Whether this viewer may delete an unpublished question: its author, while it is pending, or merged and so still read by everybody. */
export function mayDeleteUnpublished(viewer: Viewer, text: { authorId: number; status: string }): boolean {
	return viewer?.id === text.authorId && (text.status === 'pending' || text.status === 'merged')
}

/**
 * Whether this viewer may suspend a member and change what others see of them: moderators may for members, admins also for
 * moderators, and nobody for admins.
 */
export function maySuspend(viewer: Viewer, member: { id: number; role: SignedIn['role'] }): boolean {
	if (!mayModerate(viewer) || viewer.id === member.id || member.role === 'admin') return false
	return member.role === 'member' || viewer.role === 'admin'
}

/** Whether this viewer may make this member a moderator, or remove that role; an admin's role only changes in administration. */
export function maySetRole(viewer: Viewer, member: { id: number; role: SignedIn['role'] }): boolean {
	return viewer?.role === 'admin' && viewer.id !== member.id && member.role !== 'admin'
}

/** Whether this viewer may end all sessions of this member: admins may for everybody else, including other admins. */
export function mayLogOut(viewer: Viewer, member: { id: number }): boolean {
	return viewer?.role === 'admin' && viewer.id !== member.id
}

/** Whether this viewer may read the moderation log. */
export function mayReadLog(viewer: Viewer): viewer is SignedIn {
	return viewer?.role === 'admin'
}
