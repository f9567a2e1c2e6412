import { resolveUsername } from '~/features/identity/usernames/former-names.server.ts'
import { findUserId } from '~/features/members/members.queries.server.ts'
import { findUnmasked } from '~/features/members/pseudonyms.queries.server.ts'
import { isId } from '~/lib/checks.ts'
import { NotAllowed, NotFound } from '~/lib/errors.ts'
import type { Viewer } from '~/lib/viewer.ts'
import { decodeCursor, encodeCursor, invalidCursor, isTimeText } from '~/platform/http/cursors.ts'
import { countOpenCases, listCaseRows, listReportRows, type QueueOrder } from './cases.queries.server.ts'
import { listNotes } from './handling/handling.queries.server.ts'
import { listLogRows } from './log.queries.server.ts'
import { listStaffRows } from './members.queries.server.ts'
import { requireModerator } from './members.server.ts'
import { type AssigneeFilter, mayModerate, mayReadLog } from './moderation.policy.ts'
import { type CasePageView, type LogView, presentCase, presentLog } from './moderation.view.ts'
import { findSubject, type SubjectName, withSubjects } from './subjects.server.ts'

export type { QueueOrder }

const MAX_CASES_PER_PAGE = 20
const MAX_LOG_ENTRIES_PER_PAGE = 50
/** The maximum number of notes on the page of a case. */
const MAX_NOTES = 100

/** How many cases are open for this viewer, at most 100; 0 for others than moderators, without asking the database. */
export async function countCases(viewer: Viewer): Promise<number> {
	return mayModerate(viewer) ? countOpenCases(100) : 0
}

/** One page of the open cases. @throws NotAllowed; Invalid for a malformed cursor */
export async function listCases(
	viewer: Viewer,
	{ order, handler = 'all', cursor }: { order: QueueOrder; handler?: AssigneeFilter; cursor: string | null },
): Promise<{ rows: CasePageView[]; next: string | null }> {
	const { id: own } = requireModerator(viewer)
	const assigneeId = { all: undefined, mine: own, none: null }[handler]
	const after = cursor ? positionIn(order, cursor) : null
	const rows = await listCaseRows(order, assigneeId, after, MAX_CASES_PER_PAGE + 1)
	const shown = rows.slice(0, MAX_CASES_PER_PAGE)
	const ids = shown.map(({ case_id }) => case_id)
	const [cases, reports] = await Promise.all([withSubjects(shown), listReportRows(ids, 5)])
	const reportsOf = (id: number) => reports.filter(({ case_id }) => case_id === id)
	const last = shown.at(-1)
	const next = rows.length > MAX_CASES_PER_PAGE && last
	return {
		rows: cases.map((found) => presentCase(viewer, found, reportsOf(found.entry.case_id))),
		next: next ? encodeCursor([order === 'newest' ? last.active_at : last.report_count, last.case_id]) : null,
	}
}

/** One subject for a decision, reported or not, with at most 100 of its open reports. @throws NotAllowed, NotFound */
export async function getCase(viewer: Viewer, name: SubjectName): Promise<CasePageView> {
	const actor = requireModerator(viewer)
	const found = await findSubject(name)
	if (!found) throw new NotFound('There is nothing to decide here.')
	const { type, author, entry } = found
	const [notes, staff, reports, parts, unmasked] = await Promise.all([
		entry.note_count > 0 ? listNotes(entry.case_id, MAX_NOTES) : [],
		entry.open ? listStaffRows({ mayAct: true }) : [],
		entry.open ? listReportRows([entry.case_id], 100) : [],
		author.imported ? [] : (type.listParts?.(author) ?? []),
		author.pseudonym_of === null ? undefined : findUnmasked(author.id, actor.id),
	])
	return presentCase(viewer, found, reports, { parts, unmasked: unmasked ?? null, notes, staff })
}

/** One page of the log, newest first. @param member a username, for what they did and what was done to them */
export async function listLog(
	viewer: Viewer,
	{ member, cursor }: { member: string; cursor: string | null },
): Promise<{ rows: LogView[]; next: string | null }> {
	if (!mayReadLog(viewer)) throw new NotAllowed('Only admins can read this.')
	const [before] = cursor ? decodeCursor(cursor, 1) : [null]
	if (before !== null && !isId(before)) throw invalidCursor()
	const name = await resolveUsername(member)
	const memberId = name === '' ? null : await findUserId(name)
	if (memberId === undefined) return { rows: [], next: null }
	const rows = await listLogRows(memberId, before, MAX_LOG_ENTRIES_PER_PAGE + 1)
	const last = rows[MAX_LOG_ENTRIES_PER_PAGE - 1]
	return {
		rows: rows.slice(0, MAX_LOG_ENTRIES_PER_PAGE).map(presentLog),
		next: rows.length > MAX_LOG_ENTRIES_PER_PAGE && last ? encodeCursor([last.id]) : null,
	}
}

function positionIn(order: QueueOrder, cursor: string): { key: string | number; id: number } {
	const [key, id] = decodeCursor(cursor, 2)
	const sound = order === 'newest' ? isTimeText(key) : key === 0 || isId(key)
	if (key === undefined || !sound || !isId(id)) throw invalidCursor()
	return { key, id }
}
