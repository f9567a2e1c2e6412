import { z } from 'zod'
import { requireWritingAllowed } from '~/features/accounts/security/suspension.server.ts'
import { slugOf } from '~/lib/addresses.ts'
import { Conflict, Invalid, NotAllowed, NotFound, TooManyRequests } from '~/lib/errors.ts'
import { requireSignedIn, type SignedIn, type Viewer } from '~/lib/viewer.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { parseInput } from '~/platform/http/form.server.ts'
import { settingSection, textSetting } from '~/platform/settings/setting.ts'
import { siteSettings } from '~/platform/settings/settings.server.ts'
import { hasOpenReport, insertReport, type NewReport, secondsUntilReport } from './cases.queries.server.ts'
import { queueModeratorNotification } from './handling/handling.server.ts'
import { lockAccountStatus } from './members.queries.server.ts'
import { moderationLimits } from './moderation.limits.ts'
import { mayReport, type Reason, type ReasonChoice, reasons } from './moderation.policy.ts'
import { reportInput, reportWordsInput } from './moderation.schema.ts'
import { findSubject, memberIdOf, type SubjectName, type SubjectWithCase } from './subjects.server.ts'

/* Reports and their reasons. */

export interface ReportableView {
	/** The name of its type. */
	kind: string
	/** Its address, to which the reader returns. */
	url: string
	/** The name of the reported thing. */
	title: string
	/** Whether this member has an open report of it. */
	reported: boolean
}

/** A subject that this viewer can report. @throws NotFound, NotAllowed for their own */
export async function getReportable(viewer: SignedIn, name: SubjectName): Promise<ReportableView> {
	const { type, subject, author } = await requireReportable(viewer, name)
	const reported = await hasOpenReport(viewer.id, type.name, subject.id)
	return { kind: type.name, url: subject.url, title: type.describe(subject, author), reported }
}

/**
 * Reports something to the moderators: one open report per member and subject.
 * @param input reason, details
 * @returns the address of the subject
 * @throws NotFound, NotAllowed, Invalid, Conflict when it was reported before, TooManyRequests
 */
export async function reportSubject(
	viewer: Viewer,
	name: SubjectName,
	input: Record<string, unknown>,
): Promise<{ url: string }> {
	const member = requireSignedIn(viewer)
	const { type, subject } = await requireReportable(member, name)
	const { reason: chosen, details } = parseInput(reportInput, { details: '', ...input })
	const { reason, ownLabel } = requireReason(chosen)
	await db()
		.transaction()
		.execute(async (trx) => {
			await lockReporter(trx, member)
			await addReport(trx, {
				kind: type.name,
				targetId: subject.id,
				reporterId: member.id,
				reason,
				reasonLabel: ownLabel,
				details,
			})
		})
	return { url: subject.url }
}

/** The text of a report without a chosen reason. @param input `words` @throws Invalid */
export function readReportWords(input: { words?: unknown }): string {
	return parseInput(reportWordsInput, input).words
}

/** Locks the row of a member who is about to report something. @throws NotAllowed, also for a suspended member */
export async function lockReporter(trx: Executor, reporter: SignedIn): Promise<void> {
	const status = await lockAccountStatus(trx, reporter.id)
	if (!status) throw new NotAllowed('This account no longer exists.')
	requireWritingAllowed(status)
}

/**
 * Adds a report by a member whom {@link lockReporter} has locked.
 * @returns its id
 * @throws TooManyRequests; Conflict when the same was reported before
 */
export async function addReport(trx: Executor, added: NewReport): Promise<number> {
	const seconds = await secondsUntilReport(trx, added.reporterId, moderationLimits.reportsPerHour)
	if (seconds !== null) throw new TooManyRequests('You have reported a lot in a short time. Try again later.', seconds)
	const made = await insertReport(trx, added)
	if (made === null) throw new Conflict('You have already reported this. A moderator will look at it.')
	await queueModeratorNotification(trx, { caseId: made.caseId, actorId: added.reporterId })
	return made.id
}

/** @throws NotFound, NotAllowed for their own */
async function requireReportable(viewer: SignedIn, name: SubjectName): Promise<SubjectWithCase> {
	const found = await findSubject(name)
	if (!found?.subject.reportable) throw new NotFound('There is nothing to report here.')
	if (!mayReport(viewer, { authorId: memberIdOf(found.author) }))
		throw new NotAllowed('This is your own. You can edit it.')
	return found
}

/* The reasons in the report form: the default ones, or the site's own. */

const MAX_REASONS = 12
const MAX_LABEL = 40
const MAX_HINT = 150

const usual = reasons.map(({ label, hint }) => `${label}: ${hint}`).join('\n')

export const reasonSection = settingSection({
	name: 'report-reasons',
	title: 'Reasons for reports',
	about: 'The reasons that members can choose when they report something.',
	settings: {
		reasons: textSetting({
			label: 'Reasons',
			hint: 'One per line, in order: the reason, a colon, and a sentence about it. Start a line with - to archive a reason: it stays here, but is no longer offered. “Something else” is always offered. Existing reports keep their reason.',
			isLong: true,
			default: usual,
			maxLength: 3_000,
			schema: z.string().superRefine((text, context) => {
				const wrong = faultOf(text)
				if (wrong) context.addIssue({ code: 'custom', message: wrong })
			}),
		}),
	},
})

/** An available reason, with what a report stores of it. */
interface OfferedReason extends ReasonChoice {
	/** The reason for programs: one of the default ones, otherwise `other`. */
	reason: Reason
	/** Its label, for a reason of the site's own. */
	ownLabel: string | null
}

function readLines(text: string): { label: string; hint: string; isArchived: boolean }[] {
	return text
		.split('\n')
		.map((line) => line.trim())
		.filter(Boolean)
		.map((line) => {
			const isArchived = line.startsWith('-')
			const [label = '', ...rest] = line.replace(/^-\s*/, '').split(':')
			return { label: label.trim(), hint: rest.join(':').trim(), isArchived }
		})
}

/** The value that a report names a reason by: its words with dashes; '' where there is none. Words of any script stay. */
function reasonValue(label: string): string {
	const isLatin = !/\p{L}/u.test(label.replace(/\p{Script=Latin}/gu, ''))
	if (isLatin) return slugOf(label, MAX_LABEL)
	return (
		label
			.normalize('NFKC')
			.toLowerCase()
			.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
	)
		.join('-')
		.slice(0, MAX_LABEL)
}

/** The error of a list of reasons, in one sentence; null for a valid list. */
function faultOf(text: string): string | null {
	const lines = readLines(text)
	const seen = new Set<string>()
	for (const { label, hint } of lines) {
		const value = reasonValue(label)
		if (value === '') return 'Each line begins with a reason, such as “Plagiarism: It is copied without a source.”'
		if (label.length > MAX_LABEL)
			return `“${label.slice(0, MAX_LABEL)}…” is too long: a reason has at most ${MAX_LABEL} characters.`
		if (hint.length > MAX_HINT) return `What stands behind “${label}” may have at most ${MAX_HINT} characters.`
		if (seen.has(value)) return `“${label}” stands there twice.`
		seen.add(value)
	}
	return lines.length > MAX_REASONS ? `Name at most ${MAX_REASONS} reasons.` : null
}

/** The available reasons, in their order; “Something else” is always among them. */
export function offeredReasons(): readonly OfferedReason[] {
	const offered = readLines(siteSettings(reasonSection).reasons)
		.filter(({ isArchived }) => !isArchived)
		.map(({ label, hint }): OfferedReason => {
			const own = reasons.find((one) => one.label.toLowerCase() === label.toLowerCase())
			return own
				? { ...own, hint, reason: own.value, ownLabel: null }
				: { value: reasonValue(label), label, hint, reason: 'other', ownLabel: label }
		})
	if (offered.some(({ value }) => value === 'other')) return offered
	const other = reasons.filter(({ value }) => value === 'other')
	return [...offered, ...other.map((one) => ({ ...one, reason: one.value, ownLabel: null }))]
}

/** The site's own list for the report form; undefined for the default one. */
export function customReasons(): ReasonChoice[] | undefined {
	if (siteSettings(reasonSection).reasons === usual) return undefined
	return offeredReasons().map(({ value, label, hint }) => ({ value, label, hint }))
}

/** The reason with this value. @throws Invalid for one that does not exist, or is no longer available */
export function requireReason(value: string): OfferedReason {
	const found = offeredReasons().find((one) => one.value === value)
	if (found) return found
	const message = `Choose one of these reasons: ${offeredReasons()
		.map(({ label }) => label)
		.join(', ')}.`
	throw new Invalid(message, { reason: message })
}
