import { refuseSuspended } from '~/features/accounts/suspension.server.ts'
import { Conflict, NotAllowed, NotFound, TooMany } from '~/lib/errors.ts'
import type { SignedIn, Viewer } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { parseInput } from '~/platform/http/parse.server.ts'
import { addReport, hasOpenReport, secondsUntilReport } from './cases.queries.server.ts'
import { limits } from './moderation.limits.ts'
import { mayReport, type TargetKind } from './moderation.policy.ts'
import { reportInput } from './moderation.schema.ts'
import { targetUrl } from './moderation.views.ts'
import { lockStanding } from './posting.queries.server.ts'
import { type CaseRow, findNamed, type TargetName } from './targets.server.ts'

export interface ReportableView {
	kind: TargetKind
	/** Where it stands, and where its reader goes back to. */
	url: string
	/** What is reported, in words. */
	title: string
	/** Whether this member has reported it already and nobody has looked at it yet. */
	reported: boolean
}

/** Something that this viewer can report. @throws NotFound, NotAllowed for what is their own */
export async function getReportable(viewer: SignedIn, name: TargetName): Promise<ReportableView> {
	const row = await reportable(viewer, name)
	const reported = await hasOpenReport(viewer.id, row.kind, row.target_id)
	return { kind: row.kind, url: targetUrl(row), title: titleOf(row), reported }
}

/**
 * Reports something to the moderators: one open report a member and target.
 * @param input reason, details
 * @returns where the target stands
 * @throws NotFound, NotAllowed, Invalid, Conflict when it was reported before, TooMany
 */
export async function report(
	viewer: Viewer,
	name: TargetName,
	input: Record<string, unknown>,
): Promise<{ url: string }> {
	if (!viewer) throw new NotAllowed('Log in first.')
	const row = await reportable(viewer, name)
	const { reason, details } = parseInput(reportInput, { details: '', ...input })
	await db()
		.transaction()
		.execute(async (trx) => {
			const reporter = await lockStanding(trx, viewer.id)
			if (!reporter) throw new NotAllowed('This account no longer exists.')
			refuseSuspended(reporter)
			const seconds = await secondsUntilReport(trx, viewer.id, limits.reportsPerHour)
			if (seconds !== null) throw new TooMany('You have reported a lot in a short time. Try again later.', seconds)
			const target = { kind: row.kind, targetId: row.target_id, reporterId: viewer.id }
			if (!(await addReport(trx, { ...target, reason, details })))
				throw new Conflict('You have already reported this. A moderator will look at it.')
		})
	return { url: targetUrl(row) }
}

async function reportable(viewer: SignedIn, name: TargetName): Promise<CaseRow> {
	const row = await findNamed(name)
	if (!row || row.gone || row.query_gone)
		throw new NotFound('There is nothing to report here. It may have been deleted.')
	if (!mayReport(viewer, { authorId: row.author_id })) throw new NotAllowed('This is your own. You can edit it.')
	return row
}

function titleOf(row: CaseRow): string {
	if (row.kind === 'profile') return `the profile of ${row.name}`
	return row.kind === 'query' ? `“${row.title}”` : `the comment of ${row.name} on “${row.title}”`
}
