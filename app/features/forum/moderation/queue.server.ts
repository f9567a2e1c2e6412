import { listProfileParts } from '~/features/profiles/hiding.server.ts'
import type { Page } from '~/features/questions/question.view.ts'
import { NotAllowed, NotFound } from '~/lib/errors.ts'
import { isId } from '~/lib/ids.ts'
import type { Viewer } from '~/lib/viewer.ts'
import { decodeCursor, encodeCursor, isTimeText, noSuchPlace } from '~/platform/http/cursors.ts'
import { countOpenCases, listReportRows } from './cases.queries.server.ts'
import { listLogRows } from './log.queries.server.ts'
import { mayModerate, mayReadLog } from './moderation.policy.ts'
import type { CaseView, LogView } from './moderation.present.ts'
import { presentCase, presentLog } from './moderation.views.ts'
import { moderator } from './staff.server.ts'
import { findMemberId, listCaseRows, type QueueOrder } from './targets.queries.server.ts'
import { findNamed, type TargetName } from './targets.server.ts'

export type { QueueOrder }

const casesPerPage = 20
const logPerPage = 50

/** How many cases wait for this viewer, at most 100; 0 for whoever does not keep order, without asking the database. */
export async function countCases(viewer: Viewer): Promise<number> {
	return mayModerate(viewer) ? countOpenCases(100) : 0
}

/** One page of the cases that somebody has to decide. @throws NotAllowed; Invalid for a cursor that is not ours */
export async function listCases(
	viewer: Viewer,
	{ order, cursor }: { order: QueueOrder; cursor: string | null },
): Promise<Page<CaseView>> {
	moderator(viewer)
	const rows = await listCaseRows(order, cursor ? placeIn(order, cursor) : null, casesPerPage + 1)
	const shown = rows.slice(0, casesPerPage)
	const last = shown.at(-1)
	const reports = await listReportRows(
		shown.map(({ case_id }) => case_id),
		5,
	)
	const next = rows.length > casesPerPage && last
	return {
		rows: shown.map((row) =>
			presentCase(
				viewer,
				row,
				reports.filter(({ case_id }) => case_id === row.case_id),
			),
		),
		next: next ? encodeCursor([order === 'newest' ? last.active_at : last.report_count, last.case_id]) : null,
	}
}

/** One thing to judge, reported or not, with at most 100 of its open reports. @throws NotAllowed, NotFound */
export async function getCase(viewer: Viewer, name: TargetName): Promise<CaseView> {
	moderator(viewer)
	const row = await findNamed(name)
	if (!row) throw new NotFound('There is nothing to decide here.')
	const [reports, parts] = await Promise.all([
		row.open ? listReportRows([row.case_id], 100) : [],
		row.kind === 'profile' && !row.imported ? listProfileParts(row.username) : [],
	])
	return presentCase(viewer, row, reports, parts)
}

/** One page of who did what and why, newest first. @param member a username, to see what they did and what befell them */
export async function listLog(
	viewer: Viewer,
	{ member, cursor }: { member: string; cursor: string | null },
): Promise<Page<LogView>> {
	if (!mayReadLog(viewer)) throw new NotAllowed('Only admins can read this.')
	const [before] = cursor ? decodeCursor(cursor, 1) : [null]
	if (before !== null && !isId(before)) throw noSuchPlace()
	const name = member.replaceAll('\u0000', '').trim().replace(/^@/, '').toLowerCase()
	const memberId = name === '' ? null : ((await findMemberId(name)) ?? 0)
	const rows = await listLogRows(memberId, before, logPerPage + 1)
	const last = rows[logPerPage - 1]
	return {
		rows: rows.slice(0, logPerPage).map(presentLog),
		next: rows.length > logPerPage && last ? encodeCursor([last.id]) : null,
	}
}

function placeIn(order: QueueOrder, cursor: string): { key: string | number; id: number } {
	const [key, id] = decodeCursor(cursor, 2)
	const sound = order === 'newest' ? isTimeText(key) : Number.isInteger(key)
	if (key === undefined || !sound || !isId(id)) throw noSuchPlace()
	return { key, id }
}
