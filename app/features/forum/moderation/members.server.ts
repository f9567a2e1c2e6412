import { recordSecurityEvent } from '~/features/accounts/security-log.server.ts'
import { announceAccountChange, announceEndedSessions, endAllAccess } from '~/features/accounts/sessions.server.ts'
import { notifyOfDecision, tellUnread } from '~/features/notifications/notifications.server.ts'
import { profilePath } from '~/features/questions/questions.paths.ts'
import { Conflict, NotAllowed, NotFound } from '~/lib/errors.ts'
import type { SignedIn, Viewer } from '~/lib/viewer.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { parseInput } from '~/platform/http/parse.server.ts'
import { closeCase } from './cases.queries.server.ts'
import { addLogRow } from './log.queries.server.ts'
import {
	findMember,
	lift,
	listStaffRows,
	listSuspendedRows,
	type MemberRow,
	setRole,
	suspend,
} from './members.queries.server.ts'
import { mayLogOut, maySetRole, maySuspend } from './moderation.policy.ts'
import type { StaffView, SuspendedView } from './moderation.present.ts'
import { maybeWhyInput, suspendInput } from './moderation.schema.ts'
import { lockStanding } from './posting.queries.server.ts'
import { lockModerator, moderator } from './staff.server.ts'
import type { CaseRow } from './targets.queries.server.ts'

const mostSuspended = 100

/** Who keeps order here, and who is suspended, at most 100. @throws NotAllowed */
export async function listMembers(viewer: Viewer): Promise<{ staff: StaffView[]; suspended: SuspendedView[] }> {
	const actor = moderator(viewer)
	const [staff, suspended] = await Promise.all([listStaffRows(), listSuspendedRows(mostSuspended)])
	return {
		staff: staff.map((row) => ({ ...facts(row), role: row.role, maySetRole: maySetRole(actor, row) })),
		suspended: suspended.map((row) => ({
			...facts(row),
			until: row.suspended_until,
			reason: row.suspended_reason,
			mayLift: maySuspend(actor, row),
		})),
	}
}

/**
 * Suspends the author of something, or lifts that. A profile's case is closed by it; a text still has to be judged. A suspension
 * ends every session and access token; who is suspended may log in again, and read.
 * @throws NotAllowed, Invalid, Conflict when somebody did the same meanwhile
 */
export async function suspendAuthor(
	actor: SignedIn,
	row: CaseRow,
	act: 'suspend' | 'lift',
	input: Record<string, unknown>,
): Promise<void> {
	const how =
		act === 'suspend'
			? parseInput(suspendInput, input)
			: { ...parseInput(maybeWhyInput, { why: '', ...input }), time: null }
	let told: number[] = []
	await inTurn(actor, row.author_id, async (trx, fresh, member) => {
		if (!maySuspend(fresh, { id: row.author_id, role: member.role }))
			throw new NotAllowed('You cannot suspend this member.')
		if ((member.suspended_until === null) !== (act === 'suspend'))
			throw new Conflict('Someone else has already decided this. Reload the page.')
		if (how.time === null) await lift(trx, row.author_id)
		else {
			await suspend(trx, row.author_id, how.time, how.why)
			await endAllAccess(trx, row.author_id)
		}
		if (row.kind === 'profile' && act === 'suspend') await closeCase(trx, 'profile', row.target_id)
		const note = how.time === null ? '' : how.time === 'for ever' ? 'for ever' : `for ${how.time}`
		const about = { kind: row.kind, targetId: row.target_id, memberId: row.author_id, title: row.title ?? row.name }
		await addLogRow(trx, { actorId: actor.id, act, ...about, why: how.why, note })
		const notice = { memberId: row.author_id, why: how.why, query: null, commentId: null }
		told = await notifyOfDecision(trx, { ...notice, act, url: profilePath(row.username) })
	})
	await tellUnread(told)
	if (act === 'suspend') await announceEndedSessions(row.author_id, row.username)
	await recordSecurityEvent(act === 'suspend' ? 'suspended' : 'restored', {
		userId: row.author_id,
		detail: { by: actor.id },
	})
}

/** Makes a member a moderator, or takes that back. It holds from their next request on. @throws NotAllowed, NotFound, Conflict */
export async function appoint(viewer: Viewer, username: string, role: 'member' | 'moderator'): Promise<void> {
	const actor = requireAdmin(viewer)
	const found = await requireMember(username)
	await inTurn(actor, found.id, async (trx, fresh, member) => {
		if (!maySetRole(fresh, { id: found.id, role: member.role }))
			throw new NotAllowed('This role cannot be changed here.')
		if (member.role === role) throw new Conflict(`${found.name} is already a ${role}.`)
		await setRole(trx, found.id, role)
		const about = { kind: 'profile', targetId: found.id, memberId: found.id, title: found.name } as const
		await addLogRow(trx, { actorId: actor.id, act: role === 'moderator' ? 'appoint' : 'dismiss from office', ...about })
	})
	await announceAccountChange(found.id)
	await recordSecurityEvent('role-changed', { userId: found.id, detail: { role, by: actor.id } })
}

/**
 * Ends every session and access token of a member, as when their account may be in other hands.
 * @throws NotAllowed unless the viewer is admin and somebody else, NotFound
 */
export async function logOutMember(viewer: Viewer, username: string): Promise<void> {
	const actor = requireAdmin(viewer)
	const found = await requireMember(username)
	await inTurn(actor, found.id, async (trx, fresh) => {
		if (!mayLogOut(fresh, found)) throw new NotAllowed('End your own sessions in your settings.')
		await endAllAccess(trx, found.id)
		const about = { kind: 'profile', targetId: found.id, memberId: found.id, title: found.name } as const
		await addLogRow(trx, { actorId: actor.id, act: 'log out everywhere', ...about })
	})
	await announceEndedSessions(found.id, found.username)
	await recordSecurityEvent('session-revoked', { userId: found.id, detail: { all: true, by: actor.id } })
}

function requireAdmin(viewer: Viewer): SignedIn {
	const actor = moderator(viewer)
	if (actor.role !== 'admin') throw new NotAllowed('Only admins can do this.')
	return actor
}

/** The member whose name somebody typed. @throws NotFound */
async function requireMember(typed: string): Promise<MemberRow> {
	const name = typed.replaceAll('\u0000', '').trim().replace(/^@/, '').toLowerCase()
	const found = await findMember(name)
	if (!found) throw new NotFound(`There is no member called “${name}”.`)
	return found
}

/** Holds the member's row, then the moderator's, as whoever lets a post pass does. */
async function inTurn(
	actor: SignedIn,
	memberId: number,
	work: (
		trx: Executor,
		fresh: SignedIn,
		member: { role: SignedIn['role']; suspended_until: string | null },
	) => Promise<void>,
): Promise<void> {
	await db()
		.transaction()
		.execute(async (trx) => {
			const member = await lockStanding(trx, memberId)
			if (!member) throw new NotFound('This account no longer exists.')
			await work(trx, await lockModerator(trx, actor), member)
		})
}

function facts({ username, name, image }: { username: string; name: string; image: string | null }) {
	return { username, name, image }
}
