import { profilePath } from '~/features/questions/questions.paths.ts'
import { queryUrl } from '~/features/search/search.view.ts'
import type { Viewer } from '~/lib/viewer.ts'
import type { ReportRow } from './cases.queries.server.ts'
import type { LogRow } from './log.queries.server.ts'
import { limits } from './moderation.limits.ts'
import { mayGovernProfile, mayModerate, maySuspend, type TargetKind } from './moderation.policy.ts'
import type { Act, CaseView, LogView, ReportView, TargetState } from './moderation.present.ts'
import type { CaseRow, TargetRow } from './targets.queries.server.ts'

/** The page on which something is judged. @param member whose profile it is, or whose text */
function caseUrl(kind: TargetKind, id: number, member: string): string {
	return `/moderation/${kind}/${kind === 'profile' ? member : id}`
}

/** Where a target stands on the site. */
export function targetUrl(row: TargetRow): string {
	if (row.query_id === null || row.query_username === null || row.category_slug === null)
		return profilePath(row.username)
	const url = queryUrl({ id: row.query_id, username: row.query_username, category_slug: row.category_slug })
	if (row.kind === 'comment') return `${url}?thread=${row.target_id}#comment-${row.target_id}`
	return row.withheld === 'merged' ? `${url}?original=1` : url
}

/** How something stands in the forum. */
export function stateOf({ withheld, gone }: Pick<TargetRow, 'withheld' | 'gone'>): TargetState {
	return withheld ?? (gone ? 'gone' : 'visible')
}

/** In which states an act makes sense. The use cases ask again once they hold the row. */
export const startsFrom: Record<Exclude<Act, 'dismiss' | 'clean' | 'suspend' | 'lift'>, readonly TargetState[]> = {
	approve: ['waiting'],
	refuse: ['waiting'],
	hide: ['visible'],
	restore: ['hidden', 'merged'],
	lock: ['visible'],
	unlock: ['visible'],
	merge: ['visible'],
}

const forQueries: readonly Act[] = ['lock', 'unlock', 'merge']

/** What this viewer can do about a target now. */
export function actsOn(viewer: Viewer, row: CaseRow): Act[] {
	if (!mayModerate(viewer)) return []
	const state = stateOf(row)
	const acts: Act[] = []
	// A comment comes and goes with its query: what is under a query that is out of the forum has to wait for that.
	const isOut = row.kind === 'profile' || (row.kind === 'comment' && row.query_gone === true)
	for (const [act, states] of Object.entries(startsFrom) as [keyof typeof startsFrom, readonly TargetState[]][]) {
		if (isOut || !states.includes(state)) continue
		if (forQueries.includes(act) && row.kind !== 'query') continue
		if (act === (row.locked ? 'lock' : 'unlock')) continue
		acts.push(act)
	}
	if (row.kind === 'profile' && !row.imported && mayGovernProfile(viewer, { id: row.author_id, role: row.author_role }))
		acts.push(state === 'hidden' ? 'restore' : 'hide', 'clean')
	if (row.open && (state !== 'waiting' || isOut)) acts.push('dismiss')
	if (maySuspend(viewer, { id: row.author_id, role: row.author_role }))
		acts.push(row.suspended_until === null ? 'suspend' : 'lift')
	return acts
}

/** @param parts what can be removed of a profile, where one is looked at by itself */
export function presentCase(
	viewer: Viewer,
	row: CaseRow,
	reports: ReportRow[],
	parts: CaseView['parts'] = [],
): CaseView {
	return {
		kind: row.kind,
		id: row.target_id,
		caseUrl: caseUrl(row.kind, row.target_id, row.username),
		url: targetUrl(row),
		title: row.title ?? row.name,
		html: row.html ?? '',
		beginning: cutOff(row.beginning ?? ''),
		print: row.print,
		author: authorOf(row),
		createdAt: row.created_at,
		state: stateOf(row),
		withheldReason: row.withheld_reason,
		locked: row.locked === true && row.kind === 'query',
		suspendedUntil: row.suspended_until,
		acts: actsOn(viewer, row),
		parts,
		reportCount: row.report_count,
		waits: row.waits,
		reports: reports.map(presentReport),
	}
}

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

function presentReport(row: ReportRow): ReportView {
	return {
		reporter: authorOf(row),
		reason: row.reason,
		details: row.details,
		createdAt: row.created_at,
		extracts: row.extracts.map((lines) => lines.map((line) => ({ ...line, pictures: line.pictures ?? [] }))),
	}
}

function authorOf({ username, name, image }: { username: string; name: string; image: string | null }) {
	return { username, name, image }
}

/** Says of a beginning that more follows. */
function cutOff(text: string): string {
	return [...text].length < limits.beginning ? text : `${text} …`
}
