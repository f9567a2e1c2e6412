import { z } from 'zod'
import { confirmMember } from '~/features/accounts/accounts.queries.server.ts'
import { isDemoAccount } from '~/features/accounts/registration/demo-accounts.server.ts'
import { resetSecondFactor } from '~/features/authenticators/second-factor.server.ts'
import { clearAddressProblems } from '~/features/bounces/bounces.server.ts'
import { removeIdentity } from '~/features/campus-login/linked-logins.server.ts'
import { keepGroupRole } from '~/features/campus-roles/group-roles.queries.server.ts'
import { resolveUsername } from '~/features/identity/usernames/former-names.server.ts'
import { announceRename, applyRename, usernameInput } from '~/features/identity/usernames/usernames.server.ts'
import { mailRoleChange } from '~/features/members/role-mails.server.ts'
import { releaseCases } from '~/features/moderation/handling/handling.queries.server.ts'
import { addLogRow } from '~/features/moderation/log.queries.server.ts'
import { findModeratedMember, type ModeratedMemberRow, setRole } from '~/features/moderation/members.queries.server.ts'
import { MEMBER_SUBJECT } from '~/features/moderation/moderation.policy.ts'
import { whyInput } from '~/features/moderation/moderation.schema.ts'
import { announceUnread } from '~/features/notifications/notifications.server.ts'
import { resetPasskeys } from '~/features/passkeys/passkeys.server.ts'
import { requestArchive } from '~/features/privacy/archive/archive.server.ts'
import { isLastAdmin } from '~/features/privacy/leaving/leaving.queries.server.ts'
import {
	announceLeaving,
	leaveInput,
	leaveInTransaction,
	mailDeletion,
} from '~/features/privacy/leaving/leaving.server.ts'
import { recordSecurityEvent } from '~/features/sessions/security-log.server.ts'
import { deleteDevices } from '~/features/sessions/sessions.queries.server.ts'
import { announceAccountChange, announceEndedSessions, endAllAccess } from '~/features/sessions/sessions.server.ts'
import { Conflict, NotAllowed, NotFound } from '~/lib/errors.ts'
import { requireAdmin, type SignedIn, type Viewer } from '~/lib/viewer.ts'
import { ALL_PAGES, invalidatePages } from '~/platform/cache/pages.server.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { type Input, parseInput } from '~/platform/http/form.server.ts'
import { siteName } from '~/platform/settings/site-name.server.ts'
import { lockAdmin } from '../admins.server.ts'
import { type LockedMember, lockForRole, setCohort } from './members.queries.server.ts'
import { type Role, roles } from './members.view.ts'

/*
 * Actions of admins on accounts, besides those of moderators on profiles. Each is one transaction with its log entry.
 * All functions throw NotAllowed for other viewers, NotFound for an unknown member, and Conflict if another admin did
 * it meanwhile.
 */

const roleInput = whyInput.extend({ role: z.enum(roles, { error: 'Choose a role.' }) })

/**
 * Changes a member's role from their next request on. Admins may give up the role while there is another admin. A role that a group of the
 * university gave stays without the group if it is chosen again.
 * @param input role, why
 * @throws Invalid; Conflict also for the only admin, and for a suspended member
 */
export async function changeRole(viewer: Viewer, username: string, input: Input): Promise<Role> {
	const { role, why } = parseInput(roleInput, input)
	let isChanged = false
	const member = await withLockedMember(viewer, username, async (trx, actor, found, locked) => {
		isChanged = locked.role !== role
		if (!isChanged) {
			if (!(await keepGroupRole(trx, found.id))) throw new Conflict(`${found.name} is already ${article(role)}.`)
			return record(trx, actor, found, 'appoint', { why, note: `as ${role}, without the group` })
		}
		if (await isLastAdmin(trx, found.id))
			throw new Conflict(`${found.name} is the only admin. Make somebody else admin first.`)
		if (role !== 'member' && locked.suspended_until !== null)
			throw new Conflict(`${found.name} is suspended. Lift the suspension first.`)
		if (role !== 'member' && isDemoAccount(locked.email))
			throw new NotAllowed(
				'The role of a demo account cannot be changed, because its password is printed at the start.',
			)
		isChanged = true
		await setRole(trx, found.id, role)
		if (role === 'member') await releaseCases(trx, found.id)
		const note = role === 'member' ? `from ${locked.role}` : `as ${role}`
		await record(trx, actor, found, role === 'member' ? 'dismiss from office' : 'appoint', { why, note })
		await mailRoleChange(trx, found.id, { from: locked.role, to: role }, 'as an admin decided')
	})
	if (!isChanged) return role
	await announceAccountChange(member.id)
	await announceUnread([member.id])
	await recordSecurityEvent('role-changed', { userId: member.id, detail: { role, by: viewer?.id ?? 0 } })
	return role
}

function article(role: Role): string {
	return role === 'admin' ? 'an admin' : `a ${role}`
}

const renameInput = whyInput.extend(usernameInput.shape)

/**
 * Renames a member, for example because the name is offensive. The old username redirects and stays reserved.
 * @param input username, why
 * @returns the new one
 * @throws Invalid
 */
export async function renameMember(viewer: Viewer, username: string, input: Input): Promise<string> {
	const { username: wanted, why } = parseInput(renameInput, input)
	const member = await withLockedMember(viewer, username, async (trx, actor, found, { role, email }) => {
		if (isDemoAccount(email))
			throw new NotAllowed('The username of a demo account cannot be changed, because it is printed at the start.')
		const from = await applyRename(trx, { id: found.id, username: found.username, role }, wanted)
		await record(trx, actor, found, 'rename', { why, note: `@${from} to @${wanted}` })
	})
	await announceRename({ id: member.id, from: member.username, to: wanted, by: viewer?.id ?? 0 })
	return wanted
}

/** Confirms a member's address manually. This grants no role. */
export async function confirmAddressOf(viewer: Viewer, username: string, why = ''): Promise<void> {
	const member = await withLockedMember(viewer, username, async (trx, actor, found, { email_verified }) => {
		if (email_verified) throw new Conflict('This address is confirmed already.')
		await confirmMember(found.id, trx)
		await record(trx, actor, found, 'confirm the address', { why })
	})
	await announceAccountChange(member.id)
	await recordSecurityEvent('verify', { userId: member.id, detail: { by: viewer?.id ?? 0 } })
}

/**
 * Sets the cohort of a member, '' for none. The university no longer changes it then. It follows the university again once that
 * names the same cohort, and if it is '' and the university has not named one yet.
 * @throws Conflict also if it is theirs already
 */
export async function setCohortOf(viewer: Viewer, username: string, cohort: string, why: string): Promise<void> {
	await withLockedMember(viewer, username, async (trx, actor, found) => {
		if (!(await setCohort(trx, found.id, cohort))) throw new Conflict('This is their cohort already.')
		await record(trx, actor, found, 'set the cohort', { why, note: cohort || 'none' })
	})
}

/** Clears the bounce marks of a member's addresses. @throws Conflict without any */
export async function clearBounceMarksOf(viewer: Viewer, username: string): Promise<void> {
	await withLockedMember(viewer, username, async (trx, actor, found) => {
		const cleared = await clearAddressProblems(trx, found.id)
		if (cleared.length === 0) throw new Conflict('Mail to this member is no longer being returned.')
		await record(trx, actor, found, 'clear returned mail')
	})
}

/** Second factors that can be lost: how each is removed, and its name in the logs. */
const losses = {
	'second factor': { reset: resetSecondFactor, act: 'reset the second factor', event: 'second-factor-reset' },
	passkeys: { reset: resetPasskeys, act: 'remove all passkeys', event: 'passkeys-reset' },
} as const

/**
 * Removes a second factor of a member who lost their device, ends all sessions and deletes all tokens, as the device may have some. The
 * member is notified by mail.
 * @param input why
 * @throws Invalid; Conflict if there is none
 */
export async function resetLostFactor(
	viewer: Viewer,
	username: string,
	lost: keyof typeof losses,
	input: Input,
): Promise<void> {
	const { why } = parseInput(whyInput, input)
	const { reset, act, event } = losses[lost]
	const member = await withLockedMember(viewer, username, async (trx, actor, found, { email }) => {
		await reset(trx, { id: found.id, email })
		await endAllAccess(trx, found.id)
		await deleteDevices(found.id, trx)
		await record(trx, actor, found, act, { why })
	})
	await announceEndedSessions(member.id, member.username)
	await recordSecurityEvent(event, { userId: member.id, detail: { by: viewer?.id ?? 0 } })
}

const unlinkInput = whyInput.extend({ identity: z.string({ error: 'Choose a login.' }) })

/**
 * Unlinks an account elsewhere that opens a member's account, as it was created again or passed to another person. Ends all
 * sessions and deletes all tokens, as that person may have made some. The member is notified by mail.
 * @param input identity, why
 * @throws Invalid; NotFound if it is unlinked already; Conflict for the own account
 */
export async function unlinkIdentityOf(viewer: Viewer, username: string, input: Input): Promise<void> {
	const { identity, why } = parseInput(unlinkInput, input)
	const member = await withLockedMember(viewer, username, async (trx, actor, found) => {
		if (found.id === actor.id) throw new Conflict('This is your own account. Remove it in your settings.')
		const title = await removeIdentity(trx, found.id, Number(identity))
		await endAllAccess(trx, found.id)
		await deleteDevices(found.id, trx)
		await record(trx, actor, found, 'unlink a login', { why, note: title })
	})
	await announceEndedSessions(member.id, member.username)
	await invalidatePages([ALL_PAGES])
	await recordSecurityEvent('identity-unlinked', { userId: member.id, detail: { by: viewer?.id ?? 0 } })
}

const deletionInput = whyInput.extend(leaveInput.shape)

/**
 * Schedules the deletion of a member's account in 14 days, at their request. Until then they may come back, as if they had left themselves; a
 * mail to each address says so.
 * @param input texts, why
 * @throws Invalid; Conflict also for the only admin
 */
export async function deleteAccountOf(viewer: Viewer, username: string, input: Input): Promise<void> {
	const { texts, why } = parseInput(deletionInput, input)
	const actor = requireAdmin(viewer)
	const member = await requireMember(username)
	await db()
		.transaction()
		.execute(async (trx) => {
			// Locks the member in an order of its own, before the admin.
			await leaveInTransaction(trx, member.id, texts === 'keep')
			await lockAdmin(trx, actor)
			await mailDeletion(
				trx,
				member.id,
				`An admin asked for your account @${member.username} at ${siteName()} to be deleted.`,
			)
			await record(trx, actor, member, 'delete the account', { why, note: `texts: ${texts}` })
		})
	await announceLeaving(member, actor.id)
}

/** Queues an archive of a member's data, at their request. Only the member is notified and can fetch it. */
export async function requestMemberArchive(viewer: Viewer, username: string, input: Input): Promise<void> {
	const { why } = parseInput(whyInput, input)
	const actor = requireAdmin(viewer)
	const found = await requireMember(username)
	await requestArchive(found, actor, async (trx) => {
		await lockAdmin(trx, actor)
		await record(trx, actor, found, 'make an archive', { why })
	})
}

async function requireMember(username: string): Promise<ModeratedMemberRow> {
	const found = await findModeratedMember(await resolveUsername(username))
	if (!found) throw new NotFound('There is no such member.')
	return found
}

async function withLockedMember(
	viewer: Viewer,
	username: string,
	work: (trx: Executor, actor: SignedIn, found: ModeratedMemberRow, locked: LockedMember) => Promise<void>,
): Promise<ModeratedMemberRow> {
	const actor = requireAdmin(viewer)
	const found = await requireMember(username)
	await db()
		.transaction()
		.execute(async (trx) => {
			const member = await lockForRole(trx, found.id)
			await lockAdmin(trx, actor)
			if (!member) throw new NotFound('This account no longer exists.')
			await work(trx, actor, found, member)
		})
	return found
}

async function record(
	trx: Executor,
	actor: SignedIn,
	member: ModeratedMemberRow,
	act: string,
	{ why = '', note = '' } = {},
): Promise<void> {
	const about = { kind: MEMBER_SUBJECT, targetId: member.id, memberId: member.id, title: member.name }
	await addLogRow(trx, { actorId: actor.id, act, ...about, why, note })
}
