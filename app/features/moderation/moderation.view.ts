import type { SignedIn, Viewer } from '~/lib/viewer.ts'
import type { ReportRow } from './cases.queries.server.ts'
import { moderationLimits } from './moderation.limits.ts'
import {
	type Act,
	type ActField,
	CATEGORY_SUBJECT,
	INVITATION_SUBJECT,
	MEMBER_SUBJECT,
	mayModerate,
	maySuspend,
	type Reason,
	reasons,
	SETTING_SUBJECT,
	type SubjectPart,
	type SubjectState,
	WEBHOOK_SUBJECT,
} from './moderation.policy.ts'
import type { SubjectWithCase } from './subjects.server.ts'

/* Moderation for pages and the API. Times are ISO 8601 strings in UTC. */

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
	/** The label of the reason, as it was offered then. */
	reasonLabel: string
	details: string
	createdAt: string
	/** Excerpts of conversations, where messages were reported: the last line of each is the reported one. */
	extracts: ReportedMessage[][]
}

/** A subject that was reported, is pending, or that a moderator views, with its reports. */
export interface CaseView {
	/** The name of its type. */
	kind: string
	id: number
	/** The address of its page in the queue. */
	caseUrl: string
	/** Its address on the site. */
	url: string
	title: string
	/** Sanitized HTML of the text, '' where there is none. */
	html: string
	/** The beginning of its source text, so that addresses of links are visible. */
	beginning: string
	/** Fingerprint of the text as shown here: an action can name it, so that nobody approves a text that they did not read. */
	print: string
	/** For a post under a pseudonym, the pseudonym. */
	author: ModeratedMemberView
	pseudonym: boolean
	/** The member behind the pseudonym, for a moderator who unmasked it; else null. */
	unmasked: ModeratedMemberView | null
	createdAt: string
	state: SubjectState
	/** The moderator's reason for its status. */
	statusReason: string
	locked: boolean
	/** When the author's suspension ends; null for none, `infinity` for a permanent one. */
	suspendedUntil: string | null
	/** The actions that this viewer can take now. */
	acts: Act[]
	/** Parts that can be removed separately; empty in the queue. */
	parts: SubjectPart[]
	/** Open reports. */
	reportCount: number
	waits: boolean
	/** The newest open reports, at most five in the queue. */
	reports: ReportView[]
	/** The moderator to whom it is assigned while it is open; null for nobody. */
	assignee: ModeratedMemberView | null
	/** Moderators' notes, at most the newest 100; empty in the queue. */
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

/** A case for pages. */
export interface CasePageView extends CaseView {
	/** The kind of subject, in one word. */
	label: string
	/** Text before the title in headings. */
	prefix: string
	/** The fields of actions that need more than a reason. */
	fields: Partial<Record<Act, ActField>>
	/** 0 where there is no case. */
	caseId: number
	/** When the last report was made; '' without a case. */
	activeAt: string
	/** Whether it needs a decision: only such a case is assigned. */
	isOpen: boolean
	/** Possible assignees; empty in the queue. */
	staff: ModeratedMemberView[]
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

/** Why a text is pending, for its author; it follows what was done. */
export const pendingMessage =
	'Others will see it once a moderator approves it, because it has a link and you are new here.'

/** The actions that this viewer can take on a subject now, in the order of the buttons. */
export function actsOn(viewer: Viewer, { type, subject, author, entry }: SubjectWithCase): Act[] {
	if (!mayModerate(viewer)) return []
	// Suspending from here would unmask the author, as suspended members are listed. Nobody logs in to the account of an imported
	// author or of former members.
	const governs = author.pseudonym_of === null && maySuspend(viewer, author)
	const acts: Act[] = type.name === MEMBER_SUBJECT && (author.imported || !governs) ? [] : [...subject.acts]
	// A pending post is approved or rejected, which also closes its reports.
	if (entry.open && !acts.includes('approve')) acts.push('dismiss')
	if (governs && (!author.imported || author.suspended_until !== null))
		acts.push(author.suspended_until === null ? 'suspend' : 'lift')
	return acts
}

/** Data that only the page of a single case loads. */
interface SingleCase {
	parts?: SubjectPart[]
	/** Who is behind a pseudonym that this viewer unmasked. */
	unmasked?: ModeratedMemberView | null
	notes?: NoteView[]
	staff?: ModeratedMemberView[]
}

/** A case for this viewer. */
export function presentCase(
	viewer: Viewer,
	found: SubjectWithCase,
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
		activeAt: entry.active_at,
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

/** A member without the other columns of their row. */
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

/**
 * The page on which a subject is decided; for what only admins decide, its own page.
 * @param username of the member concerned, or of the author
 */
export function caseUrl(kind: string, id: number, username: string): string {
	if (kind === CATEGORY_SUBJECT) return `/admin/categories/${id}`
	if (kind === INVITATION_SUBJECT) return id === 0 ? '/admin/invitations' : `/admin/invitations/list/${id}`
	if (kind === WEBHOOK_SUBJECT) return '/admin/webhooks'
	if (kind === SETTING_SUBJECT) return id === 0 ? '/admin' : '/admin/settings'
	return `/moderation/${kind}/${kind === MEMBER_SUBJECT ? username : id}`
}

/** Adds an ellipsis if the text is longer. */
function cutOff(text: string): string {
	return [...text].length < moderationLimits.beginning ? text : `${text} …`
}
