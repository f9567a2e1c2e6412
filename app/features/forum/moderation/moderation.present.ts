import type { AuthorView } from '~/features/questions/question.view.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import type { TargetKind } from './moderation.policy.ts'

/** What pages are told of moderation. Times are ISO 8601 strings in UTC. */

export type Reason = 'spam' | 'off-topic' | 'abusive' | 'other'

export const reasons: readonly { value: Reason; label: string; hint: string }[] = [
	{ value: 'spam', label: 'Spam', hint: 'Advertising, or the same text again and again.' },
	{ value: 'off-topic', label: 'Off-topic', hint: 'It does not belong here.' },
	{ value: 'abusive', label: 'Abusive', hint: 'It insults, threatens or exposes somebody.' },
	{ value: 'other', label: 'Something else', hint: 'Say below what is wrong.' },
]

export const suspensionTimes = ['1 day', '1 week', '1 month', 'for ever'] as const
export type SuspensionTime = (typeof suspensionTimes)[number]

/** How something stands in the forum, or a profile on the site; `gone` was deleted by its author. */
export type TargetState = 'visible' | 'hidden' | 'waiting' | 'merged' | 'gone'

/** What can be done about a target, in the order of its buttons. */
export type Act =
	| 'approve'
	| 'refuse'
	| 'hide'
	| 'restore'
	| 'dismiss'
	| 'lock'
	| 'unlock'
	| 'merge'
	| 'clean'
	| 'suspend'
	| 'lift'

/** Something that was reported, or that waits, with its context. */
export interface TargetView {
	kind: TargetKind
	id: number
	/** Where it can be judged; the address of its page in the queue. */
	caseUrl: string
	/** Where it stands on the site. */
	url: string
	/** Of the query it is or belongs to; of a profile the member's name. */
	title: string
	/** Sanitized HTML of the text, '' for a profile. */
	html: string
	/** Its beginning as it was written, so that an address shows where it leads. */
	beginning: string
	/** Stands for the text as it was read here: an act can name it, so that nobody lets pass what they did not read. '' for a profile. */
	print: string
	author: AuthorView
	createdAt: string
	state: TargetState
	/** Why it is withheld, in the moderator's words. */
	withheldReason: string
	locked: boolean
	/** When the author's suspension ends; null when there is none, `infinity` for one without end. */
	suspendedUntil: string | null
	/** What this viewer can do about it now. */
	acts: Act[]
	/** Of a profile that is looked at by itself: what can be removed of it, with its label and how it begins. */
	parts: { value: string; label: string; beginning: string }[]
}

/** A message of a conversation in a report. */
export interface ExtractLine {
	sender: string
	body: string
	sentAt: string
	pictures: { path: string; width: number; height: number; alt: string }[]
}

export interface ReportView {
	reporter: AuthorView
	reason: Reason
	details: string
	createdAt: string
	/** Pieces of conversations, where messages were reported: the last line of each is what was reported. */
	extracts: ExtractLine[][]
}

/** A target with what was said about it. */
export interface CaseView extends TargetView {
	/** Open reports. */
	reportCount: number
	waits: boolean
	/** The newest open reports, at most five in the queue. */
	reports: ReportView[]
}

export interface LogView {
	id: number
	at: string
	actor: AuthorView
	act: string
	kind: TargetKind
	member: AuthorView
	/** What it was about, in a few words, and where that can be judged. */
	title: string
	caseUrl: string
	why: string
	/** More about the act: until when, into which query. */
	note: string
}

export interface StaffView extends AuthorView {
	role: SignedIn['role']
	maySetRole: boolean
}

export interface SuspendedView extends AuthorView {
	until: string
	reason: string
	mayLift: boolean
}

/** Said to the author of a text that waits, after what was done with it. */
export const waitingMessage =
	'Others will see it once a moderator approves it, because it has a link and you are new here.'
