import type { SignedIn, Viewer } from '~/lib/viewer.ts'
import type { ReportRow } from './cases.queries.server.ts'
import type { LogRow } from './log.queries.server.ts'
import { moderationLimits } from './moderation.limits.ts'
import {
	type Act,
	type ActField,
	CATEGORY_SUBJECT,
	MEMBER_SUBJECT,
	mayModerate,
	maySuspend,
	type Reason,
	reasons,
	SETTING_SUBJECT,
	type SubjectPart,
	type SubjectState,
} from './moderation.policy.ts'
import type { FoundSubject } from './subjects.server.ts'

/* Moderation as pages and the API see it. Times are ISO 8601 strings in UTC. */

/** A member as others see them. */
export interface ModeratedMemberView {
	username: string
	name: string
	/** Path of the picture; null without one. */
	image: string | null
}

/** A message of a conversation in a report. */
export interface ReportedMessage {
	sender: string
	body: string
	sentAt: string
	pictures: { path: string; width: number; height: number; alt: string }[]
}

export interface ReportView {
	reporter: ModeratedMemberView
	reason: Reason
	/** The reason in words, as it was offered then. */
	reasonLabel: string
	details: string
	createdAt: string
	/** Pieces of conversations, where messages were reported: the last line of each is what was reported. */
	extracts: ReportedMessage[][]
}

/** A subject that was reported, that waits, or that a moderator looks at, with what was said about it. */
export interface CaseView {
	/** The name of its type. */
	kind: string
	id: number
	/** Where it can be judged; the address of its page in the queue. */
	caseUrl: string
	/** Where it stands on the site. */
	url: string
	title: string
	/** Sanitized HTML of the text, '' where there is none. */
	html: string
	/** Its beginning as it was written, so that an address shows where it leads. */
	beginning: string
	/** Fingerprint of the text as it was read here: an act can name it, so that nobody approves what they did not read. */
	print: string
	/** Of a post under a pseudonym, that. */
	author: ModeratedMemberView
	pseudonym: boolean
	/** The member behind the pseudonym, for a moderator who unmasked it; else null. */
	unmasked: ModeratedMemberView | null
	createdAt: string
	state: SubjectState
	/** Why it has its status, in the moderator's words. */
	statusReason: string
	locked: boolean
	/** When the author's suspension ends; null when there is none, `infinity` for one without end. */
	suspendedUntil: string | null
	/** What this viewer can do about it now. */
	acts: Act[]
	/** What can be removed from it by itself; empty in the queue. */
	parts: SubjectPart[]
	/** Open reports. */
	reportCount: number
	waits: boolean
	/** The newest open reports, at most five in the queue. */
	reports: ReportView[]
	/** The moderator who handles it while it is open; null for nobody. */
	assignee: ModeratedMemberView | null
	/** What moderators noted in it for each other, at most the newest 100; empty in the queue. */
	notes: NoteView[]
	noteCount: number
}

/** A moderator's note in a case. */
export interface NoteView {
	id: number
	author: ModeratedMemberView
	body: string
	at: string
}

/** A case as pages show it. */
export interface CasePageView extends CaseView {
	/** What it is, in one word. */
	label: string
	/** What stands before the title in headings. */
	prefix: string
	/** The fields of those acts that need more than a reason. */
	fields: Partial<Record<Act, ActField>>
	/** 0 where there never was a report. */
	caseId: number
	/** Whether somebody has to decide it: only such a case is assigned. */
	isOpen: boolean
	/** To whom it can be assigned; empty in the queue. */
	staff: ModeratedMemberView[]
}

export interface LogView {
	id: number
	at: string
	actor: ModeratedMemberView
	act: string
	/** The name of the subject's type. */
	kind: string
	/** Whose subject it was, or whom it was done to. */
	member: ModeratedMemberView
	/** What it was about, in a few words, and where that can be judged. */
	title: string
	caseUrl: string
	why: string
	/** More about the act: until when, into which query. */
	note: string
}

export interface StaffView extends ModeratedMemberView {
	role: SignedIn['role']
	maySetRole: boolean
}

export interface SuspendedView extends ModeratedMemberView {
	until: string
	reason: string
	mayLift: boolean
}

/** Said to the author of a text that waits, after what was done with it. */
export const waitingMessage =
	'Others will see it once a moderator approves it, because it has a link and you are new here.'

/** What this viewer can do about a subject now, in the order of the buttons. */
export function actsOn(viewer: Viewer, { type, subject, author, entry }: FoundSubject): Act[] {
	if (!mayModerate(viewer)) return []
	// Who is suspended is listed: a suspension from here would unmask.
	const governs = author.pseudonym_of === null && maySuspend(viewer, author)
	const acts: Act[] = type.name === MEMBER_SUBJECT && (author.imported || !governs) ? [] : [...subject.acts]
	// What waits is approved or refused: that settles its reports.
	if (entry.open && !acts.includes('approve')) acts.push('dismiss')
	if (governs) acts.push(author.suspended_until === null ? 'suspend' : 'lift')
	return acts
}

/** What is read only of a subject that is looked at by itself. */
interface SingleCase {
	parts?: SubjectPart[]
	/** Who is behind a pseudonym that this viewer unmasked. */
	unmasked?: ModeratedMemberView | null
	notes?: NoteView[]
	staff?: ModeratedMemberView[]
}

/** A case as this viewer sees it. */
export function presentCase(
	viewer: Viewer,
	found: FoundSubject,
	reports: ReportRow[],
	{ parts = [], unmasked = null, notes = [], staff = [] }: SingleCase = {},
): CasePageView {
	const { type, subject, author, entry } = found
	const isKnown = unmasked !== null || author.pseudonym_of === viewer?.id
	const acts = actsOn(viewer, found).filter((act) => act !== 'unmask' || !isKnown)
	return {
		kind: type.name,
		id: subject.id,
		caseUrl: caseUrl(type.name, subject.id, author.username),
		url: subject.url,
		title: subject.title,
		html: subject.html,
		beginning: cutOff(subject.excerpt),
		print: subject.fingerprint,
		author: presentModeratedMember(author),
		pseudonym: author.pseudonym_of !== null,
		unmasked: unmasked && presentModeratedMember(unmasked),
		createdAt: subject.createdAt,
		state: subject.state,
		statusReason: subject.reason,
		locked: subject.locked,
		suspendedUntil: author.suspended_until,
		acts,
		parts,
		reportCount: entry.report_count,
		waits: entry.waits,
		reports: reports.map(presentReport),
		assignee: entry.open ? entry.assignee : null,
		notes,
		noteCount: entry.note_count,
		caseId: entry.case_id,
		isOpen: entry.open,
		staff: staff.map(presentModeratedMember),
		label: type.label,
		prefix: type.prefix,
		fields: Object.fromEntries(
			Object.entries(type.acts).flatMap(([act, { field }]) =>
				field && acts.includes(act as Act) ? [[act, field]] : [],
			),
		),
	}
}

/** An entry of the moderation log, for readers. */
export function presentLog(row: LogRow): LogView {
	return {
		id: row.id,
		at: row.at,
		actor: { username: row.actor_username, name: row.actor_name, image: row.actor_image },
		act: row.act,
		kind: row.kind,
		member: { username: row.member_username, name: row.member_name, image: row.member_image },
		title: row.title,
		caseUrl: caseUrl(row.kind, row.target_id, row.member_username),
		why: row.why,
		note: row.note,
	}
}

export function presentModeratedMember({ username, name, image }: ModeratedMemberView): ModeratedMemberView {
	return { username, name, image }
}

function presentReport(row: ReportRow): ReportView {
	return {
		reporter: presentModeratedMember(row),
		reason: row.reason,
		reasonLabel: row.reason_label ?? reasons.find(({ value }) => value === row.reason)?.label ?? '',
		details: row.details,
		createdAt: row.created_at,
		extracts: row.extracts.map((messages) =>
			messages.map((message) => ({ ...message, pictures: message.pictures ?? [] })),
		),
	}
}

/** The page on which a subject is judged; of a category or a setting, the one on which it is kept. @param username of the member who it is, or whose it is */
export function caseUrl(kind: string, id: number, username: string): string {
	if (kind === CATEGORY_SUBJECT) return `/admin/categories/${id}`
	if (kind === SETTING_SUBJECT) return id === 0 ? '/admin' : '/admin/settings'
	return `/moderation/${kind}/${kind === MEMBER_SUBJECT ? username : id}`
}

/** Says of a beginning that more follows. */
function cutOff(text: string): string {
	return [...text].length < moderationLimits.beginning ? text : `${text} …`
}
