import { getAccount } from '~/features/accounts/accounts.server.ts'
import type { Promotion } from '~/features/accounts/registration/admin.server.ts'
import { isDemoAccount } from '~/features/accounts/registration/demo-accounts.server.ts'
import { requireWritingAllowed } from '~/features/accounts/security/suspension.server.ts'
import { type PageRequest, requirePageViewer } from '~/features/accounts/viewer.server.ts'
import { resolveUsername } from '~/features/identity/usernames/former-names.server.ts'
import { mailRoleChange } from '~/features/members/role-mails.server.ts'
import { announceUnread, notifyOfDecision } from '~/features/notifications/notifications.server.ts'
import { recordSecurityEvent } from '~/features/sessions/security-log.server.ts'
import { announceAccountChange, announceEndedSessions, endAllAccess } from '~/features/sessions/sessions.server.ts'
import { profilePath } from '~/lib/addresses.ts'
import { isId } from '~/lib/checks.ts'
import { Conflict, DecidedAlready, NotAllowed, NotFound } from '~/lib/errors.ts'
import { isModerator, requireAdmin, type SignedIn, type Viewer } from '~/lib/viewer.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { decodeCursor, invalidCursor, isTimeText, type Page, pageOf } from '~/platform/http/cursors.ts'
import { parseInput } from '~/platform/http/form.server.ts'
import { closeCase } from './cases.queries.server.ts'
import { releaseCases } from './handling/handling.queries.server.ts'
import { addLogRow } from './log.queries.server.ts'
import {
	findModeratedMember,
	findRole,
	liftSuspension,
	listAuthorRows,
	listStaffRows,
	listSuspendedRows,
	lockAccountStatus,
	type ModeratedMemberRow,
	setRole,
	suspendMember,
} from './members.queries.server.ts'
import { MEMBER_SUBJECT, mayLogOut, mayModerate, maySetRole, maySuspend } from './moderation.policy.ts'
import { optionalWhyInput, suspendInput } from './moderation.schema.ts'
import { presentModeratedMember, type StaffView, type SuspendedView } from './moderation.view.ts'
import type { SubjectWithCase } from './subjects.server.ts'

/** Requires a moderator. @throws NotAllowed */
export function requireModerator(viewer: Viewer): SignedIn {
	if (!mayModerate(viewer)) throw new NotAllowed('Only moderators can do this.')
	return viewer
}

/** Requires a moderator for a page. @throws what {@link requirePageViewer} throws; NotAllowed */
export async function requirePageModerator(asked: PageRequest): Promise<SignedIn> {
	return requireModerator(await requirePageViewer(asked))
}

/**
 * Locks the row of a moderator or an admin while they act, so that one who just lost the role or was suspended cannot act.
 * @param requireRole the role that the action needs
 * @throws NotAllowed
 */
export async function lockModerator(
	trx: Executor,
	viewer: SignedIn,
	requireRole: (viewer: Viewer) => SignedIn = requireModerator,
): Promise<SignedIn> {
	const status = await lockAccountStatus(trx, viewer.id)
	if (!status) return requireRole(null)
	const fresh = requireRole({ ...viewer, role: status.role })
	requireWritingAllowed(status)
	return fresh
}

/**
 * Removes a role from the viewer that a session remembers and the database no longer has. It never adds one: a moderator's token
 * without the scope `moderate` acts as an ordinary member.
 */
export async function withFreshRole<Someone extends SignedIn | null>(viewer: Someone): Promise<Someone> {
	return isModerator(viewer) && viewer ? { ...viewer, role: (await findRole(viewer.id)) ?? 'member' } : viewer
}

const MAX_SUSPENDED_PER_PAGE = 50

/** Moderators, and one page of the suspended members. @throws NotAllowed; Invalid for a malformed cursor */
export async function listModeratedMembers(
	viewer: Viewer,
	cursor: string | null = null,
): Promise<{ staff: StaffView[]; page: Page<SuspendedView> }> {
	const actor = requireModerator(viewer)
	const after = cursor ? suspensionAt(cursor) : null
	const [staff, found] = await Promise.all([listStaffRows(), listSuspendedRows(after, MAX_SUSPENDED_PER_PAGE + 1)])
	const { rows: suspended, next } = pageOf(found, MAX_SUSPENDED_PER_PAGE, ({ sort_key, id }) => [sort_key, id])
	const rows = suspended.map((row) => ({
		...presentModeratedMember(row),
		until: row.suspended_until,
		reason: row.suspended_reason,
		mayLift: maySuspend(actor, row),
	}))
	return {
		staff: staff.map((row) => ({ ...presentModeratedMember(row), role: row.role, maySetRole: maySetRole(actor, row) })),
		page: { rows, next },
	}
}

function suspensionAt(cursor: string): { key: string; id: number } {
	const [key, id] = decodeCursor(cursor, 2)
	if ((key !== 'infinity' && !isTimeText(key)) || !isId(id)) throw invalidCursor()
	return { key, id }
}

/**
 * Suspends the author of something, or ends that. A profile's case is closed; a text still has to be decided. A suspension ends all
 * sessions and access tokens; a suspended member may log in again, and read.
 * @throws NotAllowed, Invalid, Conflict when somebody did the same in the meantime
 */
export async function suspendAuthor(
	actor: SignedIn,
	{ type, subject, author }: SubjectWithCase,
	act: 'suspend' | 'lift',
	input: Record<string, unknown>,
): Promise<void> {
	const how =
		act === 'suspend'
			? parseInput(suspendInput, input)
			: { ...parseInput(optionalWhyInput, { why: '', ...input }), time: null }
	let notified: number[] = []
	await withLockedMember(actor, author.id, async (trx, fresh, member) => {
		if (!maySuspend(fresh, { id: author.id, role: member.role }) || (how.time !== null && author.imported))
			throw new NotAllowed('You cannot suspend this member.')
		if ((member.suspended_until === null) !== (act === 'suspend')) throw new DecidedAlready()
		if (how.time === null) await liftSuspension(trx, author.id)
		else {
			await suspendMember(trx, author.id, how.time, how.why)
			await releaseCases(trx, author.id)
			await endAllAccess(trx, author.id)
		}
		if (type.name === MEMBER_SUBJECT && act === 'suspend') await closeCase(trx, type.name, subject.id)
		const note = how.time === null ? '' : how.time === 'for ever' ? 'for ever' : `for ${how.time}`
		const about = { kind: type.name, targetId: subject.id, memberId: author.id, title: subject.title }
		await addLogRow(trx, { actorId: actor.id, act, ...about, why: how.why, note })
		const account = { type: MEMBER_SUBJECT, id: author.id, title: '', url: profilePath(author.username) }
		const notification = { memberId: author.id, why: how.why, subject: account, part: null, group: 'account' }
		notified = await notifyOfDecision(trx, { ...notification, act: how.time ? `suspend ${how.time}` : 'lift' })
	})
	await announceUnread(notified)
	if (act === 'suspend') await announceEndedSessions(author.id, author.username)
	await recordSecurityEvent(act === 'suspend' ? 'suspended' : 'restored', {
		userId: author.id,
		detail: { by: actor.id },
	})
}

/** Makes a member a moderator, or removes that role, from their next request on. @throws NotAllowed, NotFound, Conflict */
export async function setModeratorRole(viewer: Viewer, username: string, role: 'member' | 'moderator'): Promise<void> {
	const actor = requireAdmin(viewer)
	const found = await requireMember(username)
	if (role !== 'member' && isDemoAccount((await getAccount(found)).email))
		throw new NotAllowed('The role of a demo account cannot be changed, because its password is printed at the start.')
	await withLockedMember(actor, found.id, async (trx, fresh, member) => {
		if (!maySetRole(fresh, { id: found.id, role: member.role }))
			throw new NotAllowed('This role cannot be changed here.')
		if (member.role === role) throw new Conflict(`${found.name} is already a ${role}.`)
		if (role !== 'member' && member.suspended_until !== null)
			throw new Conflict(`${found.name} is suspended. Lift the suspension first.`)
		await setRole(trx, found.id, role)
		if (role === 'member') await releaseCases(trx, found.id)
		const about = { kind: MEMBER_SUBJECT, targetId: found.id, memberId: found.id, title: found.name }
		await addLogRow(trx, { actorId: actor.id, act: role === 'moderator' ? 'appoint' : 'dismiss from office', ...about })
		await mailRoleChange(trx, found.id, { from: member.role, to: role }, 'as an admin decided')
	})
	await announceAccountChange(found.id)
	await announceUnread([found.id])
	await recordSecurityEvent('role-changed', { userId: found.id, detail: { role, by: actor.id } })
}

/** Logs that a member became admin whom no admin appointed: they are the actor themselves. Nothing if they are gone by now. */
export async function addPromotion({ userId, reason }: Promotion): Promise<void> {
	const [member] = await listAuthorRows([userId])
	if (!member) return
	const about = { kind: MEMBER_SUBJECT, targetId: userId, memberId: userId, title: member.name }
	await addLogRow(db(), { actorId: userId, act: 'appoint', ...about, note: `as admin, ${reason}` })
}

/**
 * Ends all sessions and access tokens of a member, as when their account may have been taken over.
 * @throws NotAllowed unless the viewer is admin and somebody else, NotFound
 */
export async function logOutMember(viewer: Viewer, username: string, why = ''): Promise<void> {
	const actor = requireAdmin(viewer)
	const found = await requireMember(username)
	await withLockedMember(actor, found.id, async (trx, fresh) => {
		if (!mayLogOut(fresh, found)) throw new NotAllowed('End your own sessions in your settings.')
		await endAllAccess(trx, found.id)
		const about = { kind: MEMBER_SUBJECT, targetId: found.id, memberId: found.id, title: found.name }
		await addLogRow(trx, { actorId: actor.id, act: 'log out everywhere', ...about, why })
	})
	await announceEndedSessions(found.id, found.username)
	await recordSecurityEvent('session-revoked', { userId: found.id, detail: { all: true, by: actor.id } })
}

/** The member with a typed name. @throws NotFound */
async function requireMember(typed: string): Promise<ModeratedMemberRow> {
	const name = await resolveUsername(typed)
	const found = await findModeratedMember(name)
	if (!found) throw new NotFound(`There is no member called “${name}”.`)
	return found
}

/** Locks the member's row, then the moderator's, as approving a post does. */
async function withLockedMember(
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
			const member = await lockAccountStatus(trx, memberId)
			if (!member) throw new NotFound('This account no longer exists.')
			await work(trx, await lockModerator(trx, actor), member)
		})
}
