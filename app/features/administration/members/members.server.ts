import { getAddressProblemDetails } from '~/features/bounces/bounces.server.ts'
import type { LoginsView } from '~/features/campus-login/campus-login.view.ts'
import { listLogins } from '~/features/campus-login/linked-logins.server.ts'
import { describeGroupRole } from '~/features/campus-roles/group-roles.server.ts'
import { resolveUsername } from '~/features/identity/usernames/former-names.server.ts'
import { addLogRow } from '~/features/moderation/log.queries.server.ts'
import { MEMBER_SUBJECT } from '~/features/moderation/moderation.policy.ts'
import { isDay, isId } from '~/lib/checks.ts'
import { cleanFilter } from '~/lib/clean.ts'
import { csvLine } from '~/lib/csv.ts'
import { Invalid, NotFound } from '~/lib/errors.ts'
import { pluralize } from '~/lib/text.ts'
import { requireAdmin, type Viewer } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { decodeTimeCursor, type Page, pageOf } from '~/platform/http/cursors.ts'
import { lockAdmin } from '../admins.server.ts'
import { findMemberDetail, listMemberRows, type MemberDetailRow, type MemberRow } from './members.queries.server.ts'
import {
	MAX_BULK_MEMBERS,
	type MemberDetail,
	type MemberFilters,
	type MemberSummary,
	memberStates,
	roles,
} from './members.view.ts'

/* Looking up members as an admin: the list, its export, a single member. */

const MEMBERS_PER_PAGE = 50
/** Rows per statement of the export. */
const ROWS_AT_ONCE = 500

/** Parses the filters of an address or a form; ignores invalid ones. */
export function readFilters(sent: { get: (name: string) => unknown }): MemberFilters {
	const text = (name: string) => cleanFilter(sent.get(name))
	const id = (name: string) => (/^\d{1,9}$/.test(text(name)) ? text(name) : '')
	const day = (name: string) => (isDay(text(name)) ? text(name) : '')
	const [role, state, year] = [text('role'), text('state'), text('year')]
	return {
		q: text('q'),
		role: roles.some((one) => one === role) ? role : '',
		state: Object.hasOwn(memberStates, state) ? state : '',
		year: /^\d{4}$/.test(year) ? year : '',
		domain: text('domain').replace(/^@/, ''),
		cohort: text('cohort'),
		branch: text('branch'),
		...{ from: day('from'), to: day('to'), idle: day('idle') },
		invite: id('invite'),
		list: id('list'),
	}
}

/** The ticked members of a form; null for all that match its filters. @throws Invalid for nobody, and for too many */
export function readSelectedMembers(sent: {
	get: (name: string) => unknown
	getAll: (name: string) => unknown[]
}): number[] | null {
	if (sent.get('all')) return null
	const ids = [...new Set(sent.getAll('m').map(Number))].filter(isId)
	if (ids.length === 0) throw new Invalid('Tick some members first, or choose all that match the filter.')
	if (ids.length > MAX_BULK_MEMBERS) throw new Invalid(`Choose at most ${MAX_BULK_MEMBERS} members at once.`)
	return ids
}

/** A page of members, newest first. @throws NotAllowed; Invalid for an invalid cursor */
export async function listMembers(
	viewer: Viewer,
	filters: MemberFilters,
	cursor: string | null,
): Promise<Page<MemberSummary>> {
	requireAdmin(viewer)
	const after = cursor ? decodeTimeCursor(cursor) : null
	const found = await listMemberRows(filters, after, MEMBERS_PER_PAGE + 1)
	const { rows, next } = pageOf(found, MEMBERS_PER_PAGE, ({ created_at, id }) => [created_at, id])
	return { rows: rows.map(presentMemberSummary), next }
}

/** A member, by username, also a former one. @throws NotAllowed, NotFound */
export async function getMember(viewer: Viewer, username: string): Promise<MemberDetail> {
	requireAdmin(viewer)
	const row = await findMemberDetail(await resolveUsername(username))
	if (!row) throw new NotFound('There is no such member.')
	const [problems, logins, roleSource] = await Promise.all([
		getAddressProblemDetails(row.id),
		listLogins(row),
		describeGroupRole(row),
	])
	return { ...presentDetail(row, problems, logins), roleSource }
}

/** Streams the filtered members, or the chosen ones of them, as CSV. The export is logged. @throws NotAllowed */
export async function exportMembers(
	viewer: Viewer,
	filters: MemberFilters,
	ids: readonly number[] | null = null,
): Promise<AsyncGenerator<string>> {
	const actor = requireAdmin(viewer)
	await db()
		.transaction()
		.execute(async (trx) => {
			await lockAdmin(trx, actor)
			const note = Object.entries(filters)
				.filter(([, value]) => value !== '')
				.map(([name, value]) => `${name}: ${value}`)
			if (ids) note.push(`${ids.length} chosen`)
			const about = { kind: MEMBER_SUBJECT, targetId: actor.id, memberId: actor.id }
			await addLogRow(trx, {
				actorId: actor.id,
				act: 'export members',
				...about,
				title: 'the list',
				note: note.join(', '),
			})
		})
	return csvOf(filters, ids)
}

const head = [
	'username',
	'name',
	'email',
	'confirmed',
	'role',
	'registered',
	'last login',
	'suspended until',
	'hidden',
	'university',
	'year',
	'cohort',
	'branch',
]

async function* csvOf(filters: MemberFilters, ids: readonly number[] | null): AsyncGenerator<string> {
	yield csvLine(head)
	let after: { at: string; id: number } | null = null
	do {
		const rows: MemberRow[] = await listMemberRows(filters, after, ROWS_AT_ONCE, ids)
		const last = rows.at(-1)
		if (last) yield rows.map((row) => csvLine(cellsOf(presentMemberSummary(row)))).join('')
		after = last && rows.length === ROWS_AT_ONCE ? { at: last.created_at, id: last.id } : null
	} while (after !== null)
}

function cellsOf(member: MemberSummary): string[] {
	return [
		...[member.username, member.name, member.email, member.isConfirmed ? 'yes' : 'no', member.role],
		...[member.registeredAt, member.loggedInAt ?? '', member.suspendedUntil ?? '', member.isHidden ? 'yes' : 'no'],
		...[member.campus, String(member.year ?? ''), member.cohort, member.branch],
	]
}

/** A member in the list. */
export function presentMemberSummary(row: MemberRow): MemberSummary {
	const { id, username, name, image, email, role, campus, cohort, branch, year } = row
	return {
		id,
		username,
		name,
		image,
		email,
		role,
		campus,
		cohort,
		branch,
		year,
		isConfirmed: row.email_verified,
		registeredAt: row.created_at,
		loggedInAt: row.logged_in_at,
		suspendedUntil: row.suspended_until,
		leavesAt: row.leaves_at,
		leftCampusAt: row.left_campus_at,
		isHidden: row.hidden,
		isMailReturned: row.mail_returned,
	}
}

function presentDetail(
	row: MemberDetailRow,
	problems: MemberDetail['problems'],
	{ hasPassword, linked }: LoginsView,
): Omit<MemberDetail, 'roleSource'> {
	const { sessions, tokens, questions, comments, reports, passkeys } = row
	const numbers = { sessions, tokens, questions, comments, reports, passkeys }
	const logins = [
		...(hasPassword ? ['Password'] : []),
		...linked.map(({ title, name }) => (name ? `${title} (${name})` : title)),
		...(passkeys > 0 ? [pluralize(passkeys, 'passkey')] : []),
	]
	const others = linked.map(({ id, title, name }) => ({ id, title, name }))
	return {
		...presentMemberSummary(row),
		...numbers,
		logins,
		linked: others,
		hasSecondFactor: row.second_factor,
		problems,
	}
}
