import { refuseSuspended } from '~/features/accounts/security/suspension.server.ts'
import { Conflict, NotAllowed, NotFound, TooMany } from '~/lib/errors.ts'
import type { SignedIn, Viewer } from '~/lib/viewer.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { parseInput } from '~/platform/http/form.server.ts'
import { hasOpenReport, insertReport, type NewReport, secondsUntilReport } from './cases.queries.server.ts'
import { tellModeratorsLater } from './handling/handling.server.ts'
import { lockAccountStatus } from './members.queries.server.ts'
import { moderationLimits } from './moderation.limits.ts'
import { mayReport } from './moderation.policy.ts'
import { reportInput, reportWordsInput } from './moderation.schema.ts'
import { type FoundSubject, findSubject, memberOf, type SubjectName } from './subjects.server.ts'

export interface ReportableView {
	/** The name of its type. */
	kind: string
	/** Where it stands, and where its reader goes back to. */
	url: string
	/** What is reported, in words. */
	title: string
	/** Whether this member has reported it already and nobody has looked at it yet. */
	reported: boolean
}

/** Something that this viewer can report. @throws NotFound, NotAllowed for what is their own */
export async function getReportable(viewer: SignedIn, name: SubjectName): Promise<ReportableView> {
	const { type, subject, author } = await reportable(viewer, name)
	const reported = await hasOpenReport(viewer.id, type.name, subject.id)
	return { kind: type.name, url: subject.url, title: type.describe(subject, author), reported }
}

/**
 * Reports something to the moderators: one open report a member and subject.
 * @param input reason, details
 * @returns where the subject stands
 * @throws NotFound, NotAllowed, Invalid, Conflict when it was reported before, TooMany
 */
export async function report(
	viewer: Viewer,
	name: SubjectName,
	input: Record<string, unknown>,
): Promise<{ url: string }> {
	if (!viewer) throw new NotAllowed('Log in first.')
	const { type, subject } = await reportable(viewer, name)
	const { reason, details } = parseInput(reportInput, { details: '', ...input })
	await db()
		.transaction()
		.execute(async (trx) => {
			await lockReporter(trx, viewer)
			await addReport(trx, { kind: type.name, targetId: subject.id, reporterId: viewer.id, reason, details })
		})
	return { url: subject.url }
}

/** What a report says in words alone, where no reason is chosen. @param input `words` @throws Invalid */
export function readReportWords(input: { words?: unknown }): string {
	return parseInput(reportWordsInput, input).words
}

/** Locks the row of a member who is about to report something. @throws NotAllowed, also for a suspended member */
export async function lockReporter(trx: Executor, reporter: SignedIn): Promise<void> {
	const status = await lockAccountStatus(trx, reporter.id)
	if (!status) throw new NotAllowed('This account no longer exists.')
	refuseSuspended(status)
}

/**
 * Adds a report by a member whom {@link lockReporter} has locked.
 * @returns its id
 * @throws TooMany, Conflict when the same was reported before
 */
export async function addReport(trx: Executor, added: NewReport): Promise<number> {
	const seconds = await secondsUntilReport(trx, added.reporterId, moderationLimits.reportsPerHour)
	if (seconds !== null) throw new TooMany('You have reported a lot in a short time. Try again later.', seconds)
	const made = await insertReport(trx, added)
	if (made === null) throw new Conflict('You have already reported this. A moderator will look at it.')
	await tellModeratorsLater(trx, { caseId: made.caseId, actorId: added.reporterId })
	return made.id
}

async function reportable(viewer: SignedIn, name: SubjectName): Promise<FoundSubject> {
	const found = await findSubject(name)
	if (!found?.subject.reportable) throw new NotFound('There is nothing to report here. It may have been deleted.')
	if (!mayReport(viewer, { authorId: memberOf(found.author) }))
		throw new NotAllowed('This is your own. You can edit it.')
	return found
}
