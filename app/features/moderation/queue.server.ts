import { findUnmasked } from '~/features/members/pseudonyms.queries.server.ts'
import { isId } from '~/lib/checks.ts'
import { NotFound } from '~/lib/errors.ts'
import type { Viewer } from '~/lib/viewer.ts'
import { decodeCursor, invalidCursor, isTimeText, type Page, pageOf } from '~/platform/http/cursors.ts'
import { countOpenCases, listCaseRows, listReportRows, type QueueOrder } from './cases.queries.server.ts'
import { listNotes } from './handling/handling.queries.server.ts'
import { listStaffRows } from './members.queries.server.ts'
import { requireModerator } from './members.server.ts'
import { type AssigneeFilter, mayModerate } from './moderation.policy.ts'
import { type CasePageView, presentCase } from './moderation.view.ts'
import { findSubject, type SubjectName, withSubjects } from './subjects.server.ts'

export type { QueueOrder }

const MAX_CASES_PER_PAGE = 20
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
): Promise<Page<CasePageView>> {
	const { id: own } = requireModerator(viewer)
	const assigneeId = { all: undefined, mine: own, none: null }[handler]
	const after = cursor ? positionIn(order, cursor) : null
	const found = await listCaseRows(order, assigneeId, after, MAX_CASES_PER_PAGE + 1)
	const { rows: shown, next } = pageOf(found, MAX_CASES_PER_PAGE, ({ active_at, report_count, case_id }) => [
		order === 'newest' ? active_at : report_count,
		case_id,
	])
	const ids = shown.map(({ case_id }) => case_id)
	const [cases, reports] = await Promise.all([withSubjects(shown), listReportRows(ids, 5)])
	const reportsOf = (id: number) => reports.filter(({ case_id }) => case_id === id)
	return { rows: cases.map((each) => presentCase(viewer, each, reportsOf(each.entry.case_id))), next }
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

function positionIn(order: QueueOrder, cursor: string): { key: string | number; id: number } {
	const [key, id] = decodeCursor(cursor, 2)
	const sound = order === 'newest' ? isTimeText(key) : key === 0 || isId(key)
	if (key === undefined || !sound || !isId(id)) throw invalidCursor()
	return { key, id }
}
