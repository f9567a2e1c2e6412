import { lockAdmin } from '~/features/administration/admins.server.ts'
import { resolveUsername } from '~/features/identity/usernames/former-names.server.ts'
import { findUserId } from '~/features/members/members.queries.server.ts'
import { addLogRow } from '~/features/moderation/log.queries.server.ts'
import { MEMBER_SUBJECT, mayReadLog } from '~/features/moderation/moderation.policy.ts'
import { isDay } from '~/lib/checks.ts'
import { cleanFilter } from '~/lib/clean.ts'
import { csvLine } from '~/lib/csv.ts'
import { NotAllowed } from '~/lib/errors.ts'
import { requireAdmin, type Viewer } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { decodeIdCursor, type Page, pageOf } from '~/platform/http/cursors.ts'
import { daysBefore, momentOf } from '~/platform/settings/region.server.ts'
import { type LogConditions, type LogRow, listLoggedActs, listLogRows } from './log.queries.server.ts'
import { type LogFilters, type LogView, presentLog } from './log.view.ts'

/* Reading the moderation log: its pages, and the export. */

const MAX_LOG_ENTRIES_PER_PAGE = 50
/** Rows per statement of the export. */
const ROWS_AT_ONCE = 500

/** Parses the filters of an address or a form; ignores invalid ones. */
export function readLogFilters(sent: { get: (name: string) => unknown }): LogFilters {
	const text = (name: string) => cleanFilter(sent.get(name))
	const day = (name: string) => (isDay(text(name)) ? text(name) : '')
	return { member: text('member'), act: text('act'), from: day('from'), to: day('to') }
}

/**
 * One page of the log, newest first, by {@link LogFilters}.
 * @throws NotAllowed for all but admins; Invalid for an invalid cursor
 */
export async function listLog(
	viewer: Viewer,
	{ cursor, ...filters }: Partial<LogFilters> & { cursor: string | null },
): Promise<Page<LogView>> {
	if (!mayReadLog(viewer)) throw new NotAllowed('Only admins can read this.')
	const before = cursor ? decodeIdCursor(cursor) : null
	const conditions = await conditionsOf(filters)
	if (!conditions) return { rows: [], next: null }
	const found = await listLogRows(conditions, before, MAX_LOG_ENTRIES_PER_PAGE + 1)
	const { rows, next } = pageOf(found, MAX_LOG_ENTRIES_PER_PAGE, ({ id }) => [id])
	return { rows: rows.map(presentLog), next }
}

/**
 * The names of all actions in the log, by the alphabet.
 * @param chosen the one that the list is filtered by, which may be there no longer; '' for none
 * @throws NotAllowed for all but admins
 */
export async function listActs(viewer: Viewer, chosen: string): Promise<string[]> {
	if (!mayReadLog(viewer)) throw new NotAllowed('Only admins can read this.')
	const acts = await listLoggedActs()
	return chosen === '' || acts.includes(chosen) ? acts : [...acts, chosen].sort()
}

/** What a statement restricts the log to; null where nobody has the username. */
async function conditionsOf({ member = '', act = '', from, to }: Partial<LogFilters>): Promise<LogConditions | null> {
	const name = await resolveUsername(member)
	const memberId = name === '' ? null : await findUserId(name)
	if (memberId === undefined) return null
	return { memberId, act, since: from ? momentOf(from) : null, until: to ? momentOf(daysBefore(to, -1)) : null }
}

/** Streams the filtered log as CSV, newest first. The export is logged. @throws NotAllowed for all but admins */
export async function exportLog(viewer: Viewer, filters: LogFilters): Promise<AsyncGenerator<string>> {
	const actor = requireAdmin(viewer)
	const conditions = await conditionsOf(filters)
	await db()
		.transaction()
		.execute(async (trx) => {
			await lockAdmin(trx, actor)
			const note = Object.entries(filters).flatMap(([name, value]) => (value ? [`${name}: ${value}`] : []))
			const about = { kind: MEMBER_SUBJECT, targetId: actor.id, memberId: actor.id, title: 'the log' }
			await addLogRow(trx, { actorId: actor.id, act: 'export the log', ...about, note: note.join(', ') })
		})
	return csvOf(conditions)
}

const head = ['time', 'moderator', 'action', 'details', 'kind', 'title', 'member', 'reason']

async function* csvOf(conditions: LogConditions | null): AsyncGenerator<string> {
	yield csvLine(head)
	let before: number | null = null
	do {
		const rows: LogRow[] = conditions ? await listLogRows(conditions, before, ROWS_AT_ONCE) : []
		if (rows.length > 0) yield rows.map((row) => csvLine(cellsOf(row))).join('')
		before = rows.length === ROWS_AT_ONCE ? (rows.at(-1)?.id ?? null) : null
	} while (before !== null)
}

function cellsOf({ at, actor_username, act, note, kind, title, member_username, why }: LogRow): string[] {
	return [at, actor_username, act, note, kind, title, member_username, why]
}
