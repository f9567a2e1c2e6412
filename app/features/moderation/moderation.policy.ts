import { isModerator, type SignedIn, type Viewer } from '~/lib/viewer.ts'

/* What moderation knows by name, and who may do what. The browser uses both, without zod. */

/** The type of the subject that is a member: cases, the log and addresses call it so. Addresses name a member by username. */
export const MEMBER_SUBJECT = 'profile'

/** What the log calls a category, which admins keep. */
export const CATEGORY_SUBJECT = 'category'
/** Settings of the site are no subject either: the log alone names them. */
export const SETTING_SUBJECT = 'setting'

export type Reason = 'spam' | 'off-topic' | 'abusive' | 'other'

/** A reason that a report can give. */
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

export const suspensionTimes = ['1 day', '1 week', '1 month', 'for ever'] as const
export type SuspensionTime = (typeof suspensionTimes)[number]

/** Whose cases the queue shows. */
export const handlers = ['all', 'mine', 'none'] as const
export type Handler = (typeof handlers)[number]

/** Whether others see a subject, and if not, why; `gone` was deleted by its author. */
export type SubjectState = 'visible' | 'hidden' | 'waiting' | 'merged' | 'gone'

/** What a feature can let moderators do to its subjects. */
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

/** What moderators do to any subject: settle its reports, suspend its author, end that. */
export type Act = SubjectAct | 'dismiss' | 'suspend' | 'lift'

/** Something that can be removed from a subject by itself. */
export interface SubjectPart {
	/** What the act takes. */
	value: string
	label: string
	/** How it begins; '' where there are no words. */
	beginning: string
}

/** The field of an act that needs more than a reason, on the subject's page. */
export interface ActField {
	/** Heading of its form. */
	title: string
	/** Of the field in what is sent. */
	name: string
	label: string
	/** What an error calls the field. */
	shortLabel: string
	hint: string
	/** Whether one of the subject's parts is chosen; otherwise a line of text is typed, or a day that may be left out. */
	choosesPart?: boolean
	isDay?: boolean
}

/** Whether this viewer may report something; nobody reports what is their own. */
export function mayReport(viewer: Viewer, target: { authorId: number }): viewer is SignedIn {
	return viewer !== null && viewer.id !== target.authorId
}

/** Whether this viewer sees the queue and decides cases. */
export function mayModerate(viewer: Viewer): viewer is SignedIn {
	return isModerator(viewer)
}

/** Whether this viewer may see a text that is not published: who wrote it, and moderators. */
export function maySeeUnpublished(viewer: Viewer, text: { authorId: number }): boolean {
	return viewer?.id === text.authorId || isModerator(viewer)
}

/** Whether this viewer may change or delete a text that is not published: who wrote it, while it is pending. */
export function mayChangePending(viewer: Viewer, text: { authorId: number; status: string }): boolean {
	return viewer?.id === text.authorId && text.status === 'pending'
}

/** Whether this viewer may suspend a member or lift it, and change what others see of them: a moderator a member, an admin a moderator too, nobody an admin. */
export function maySuspend(viewer: Viewer, member: { id: number; role: SignedIn['role'] }): boolean {
	if (!mayModerate(viewer) || viewer.id === member.id || member.role === 'admin') return false
	return member.role === 'member' || viewer.role === 'admin'
}

/** Whether this viewer may make this member a moderator, or take that back; an admin's role changes in administration alone. */
export function maySetRole(viewer: Viewer, member: { id: number; role: SignedIn['role'] }): boolean {
	return viewer?.role === 'admin' && viewer.id !== member.id && member.role !== 'admin'
}

/** Whether this viewer may end every session of this member: an admin those of everybody else, other admins too. */
export function mayLogOut(viewer: Viewer, member: { id: number }): boolean {
	return viewer?.role === 'admin' && viewer.id !== member.id
}

/** Whether this viewer may read who did what. */
export function mayReadLog(viewer: Viewer): viewer is SignedIn {
	return viewer?.role === 'admin'
}
