import { isDemoAccount } from '~/features/accounts/registration/demo-accounts.server.ts'
import type { UsedIdentity } from '~/features/campus-login/claims.server.ts'
import { providerNames } from '~/features/campus-login/providers.server.ts'
import { mailAdmins, mailRoleChange } from '~/features/members/role-mails.server.ts'
import { releaseCases } from '~/features/moderation/handling/handling.queries.server.ts'
import { addLogRow } from '~/features/moderation/log.queries.server.ts'
import { setRole } from '~/features/moderation/members.queries.server.ts'
import { MEMBER_SUBJECT } from '~/features/moderation/moderation.policy.ts'
import { announceUnread } from '~/features/notifications/notifications.server.ts'
import { isLastAdmin, lockRoleChanges } from '~/features/privacy/leaving/leaving.queries.server.ts'
import { recordSecurityEvent } from '~/features/sessions/security-log.server.ts'
import { announceAccountChange } from '~/features/sessions/sessions.server.ts'
import { fullDate, siteDay } from '~/lib/calendar.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { BatchRun } from '~/platform/jobs/batch-run.server.ts'
import { siteName } from '~/platform/settings/site-name.server.ts'
import {
	deleteGroupRole,
	findGroupRole,
	type GroupRoleRow,
	type LockedMember,
	listMissing,
	listUnlinked,
	lockForGroupRole,
	type MissingGroup,
	markMissing,
	saveGroupRole,
	takeMissingGroups,
} from './group-roles.queries.server.ts'
import { configuredGroups, type Group, wantedClaim } from './group-roles-section.server.ts'

/*
 * Roles by group of the campus login. A group that is missing ends nothing by itself, as it may have been renamed, or the login service may
 * no longer send it: the role ends once the login of somebody else shows the same group.
 */

type Role = SignedIn['role']

const isLower = (role: Role, other: Role) => ranks.indexOf(role) < ranks.indexOf(other)
const ranks: readonly Role[] = ['member', 'moderator', 'admin']

/** Gives and ends roles by the groups that a login or the check of a session shows. */
export async function applyGroups(use: UsedIdentity): Promise<void> {
	const [claim] = wantedClaim()
	const values = claim === undefined ? null : use.values(claim)
	if (values === null) return
	const shown = configuredGroups().filter(({ name }) => values.includes(name))
	const [group] = shown
	if (!group && !(await findGroupRole(use.userId))) return
	await changeRole(use.userId, async (trx, member, row) => {
		if (group && !isLower(group.role, row?.role ?? 'member')) return giveRole(trx, member, row, { use, group })
		// Another login of the same member says nothing about the group of this one.
		if (!row || row.provider !== use.provider || (row.identity_id ?? use.identityId) !== use.identityId) return null
		await markMissing(trx, member.id, group?.name ?? null)
		// It would wait for ever for somebody to whom the group still gives the higher role.
		if (!group || !shown.some(({ name }) => name === row.group_name)) return null
		const reason = `as the group “${group.name}” of ${sourceOf(use.provider)} gives this role now`
		return lowerRole(trx, member, row, group, reason)
	})
	for (const userId of await listMissing(use.provider, shown))
		await changeRole(userId, (trx, member, row) => {
			if (!row?.missing_since || !shown.some(({ name, role }) => name === row.group_name && role === row.role))
				return null
			const reason = `as ${sourceOf(row.provider)} no longer shows the group “${row.group_name}”`
			const lower = configuredGroups().find(({ name, role }) => name === row.lower_group && isLower(role, row.role))
			return lower
				? lowerRole(trx, member, row, lower, `${reason}, but “${lower.name}”`)
				: endRole(trx, member, row, reason)
		})
}

/** Ends the roles that came by a login that its member or an admin has unlinked: nothing would end them later. */
export async function endUnlinkedRoles(): Promise<void> {
	const run = new BatchRun('the role by a group of an unlinked login could not be ended')
	await run.each(await listUnlinked(), Number, (userId) =>
		changeRole(userId, (trx, member, row) =>
			row?.former_role && row.is_unlinked ? endRole(trx, member, row, 'as the login that gave it was unlinked') : null,
		),
	)
	run.finish()
}

/** Runs a decision about the role of a locked member. @param decide returns the new role; null if it stays */
async function changeRole(
	userId: number,
	decide: (trx: Executor, member: LockedMember, row: GroupRoleRow | undefined) => Promise<Role | null> | null,
): Promise<void> {
	const role = await db()
		.transaction()
		.execute(async (trx) => {
			await lockRoleChanges(trx)
			const member = await lockForGroupRole(trx, userId)
			return member ? decide(trx, member, await findGroupRole(userId, trx)) : null
		})
	if (!role) return
	await announceAccountChange(userId)
	await announceUnread([userId])
	await recordSecurityEvent('role-changed', { userId, detail: { role } })
}

async function giveRole(
	trx: Executor,
	member: LockedMember,
	row: GroupRoleRow | undefined,
	{ use: { userId, identityId, provider }, group }: { use: UsedIdentity; group: Group },
): Promise<Role | null> {
	const isTakenByHand = row !== undefined && row.former_role === null && isLower(member.role, row.role)
	const isGiven = isLower(member.role, group.role) && !isTakenByHand
	if (isGiven && (member.is_barred || isDemoAccount(member.email))) return null
	const before = member.role === 'admin' ? null : member.role
	const formerRole = row?.former_role ?? (isGiven ? before : null)
	if (isGiven) await writeRole(trx, member, group.role, `as ${sourceOf(provider)} shows the group “${group.name}”`)
	await saveGroupRole(trx, { userId, identityId, provider, group, formerRole })
	return isGiven ? group.role : null
}

async function endRole(trx: Executor, member: LockedMember, row: GroupRoleRow, reason: string): Promise<Role | null> {
	if (row.former_role !== null) {
		if (await isLastAdmin(trx, member.id)) return null
		await writeRole(trx, member, row.former_role, reason)
	}
	await deleteGroupRole(trx, member.id)
	return row.former_role
}

/** Replaces the role of a group by that of another one, which is lower, in one step: a member who stays moderator keeps their cases. */
async function lowerRole(
	trx: Executor,
	member: LockedMember,
	row: GroupRoleRow,
	group: Group,
	reason: string,
): Promise<Role | null> {
	const isGiven = row.former_role !== null
	if (isGiven && (await isLastAdmin(trx, member.id))) return null
	if (isGiven) await writeRole(trx, member, group.role, reason)
	const { user_id: userId, identity_id: identityId, provider } = row
	const formerRole = row.former_role === 'member' ? row.former_role : null
	await saveGroupRole(trx, { userId, identityId, provider, group, formerRole })
	return isGiven ? group.role : null
}

/** Writes a role with its log entry, of which the member is the actor, and the mails. @param reason a clause */
async function writeRole(trx: Executor, member: LockedMember, role: Role, reason: string): Promise<void> {
	await setRole(trx, member.id, role)
	if (role === 'member') await releaseCases(trx, member.id)
	await addLogRow(trx, {
		actorId: member.id,
		act: role === 'member' ? 'dismiss from office' : 'appoint',
		kind: MEMBER_SUBJECT,
		targetId: member.id,
		memberId: member.id,
		title: member.name,
		note: role === 'member' ? `from ${member.role}, ${reason}` : `as ${role}, ${reason}`,
	})
	await mailRoleChange(trx, member.id, { from: member.role, to: role }, reason)
}

/** The provider, as sentences name it. */
function sourceOf(provider: string): string {
	return providerNames[provider] ?? provider
}

/** What the page of a member says of their role: by which group it is, or why their group gives none; empty for a role by hand. */
export async function describeGroupRole({ id, role }: { id: number; role: Role }): Promise<string> {
	const row = await findGroupRole(id)
	if (!row) return ''
	const group = `the group “${row.group_name}” of ${sourceOf(row.provider)}`
	if (row.former_role === null)
		return isLower(role, row.role) ? `by hand, so that ${group} does not make them ${row.role}` : ''
	return `by ${group}${row.missing_since ? ', which it no longer shows' : ''}; choose the role again below to keep it without the group`
}

/** Mails all admins which members have a role by a group that their login has not shown for a while. */
export async function mailMissingGroups(): Promise<void> {
	if (wantedClaim().length === 0) return
	await db()
		.transaction()
		.execute(async (trx) => {
			const missing = await takeMissingGroups(trx)
			if (missing.length === 0) return
			const text = `The logins of these members have not shown for a while the group that gives them their role: ${missing.map(inWords).join('; ')}. Nobody else's login has shown it since, so they keep their roles until you decide.`
			await mailAdmins(trx, {
				subject: `Roles at ${siteName()} whose group is missing`,
				text,
				link: { label: 'Roles by group', path: '/admin/settings/group-roles' },
				closing:
					'If the group was renamed, or the login service no longer sends it, correct these settings. If they have left the group, change their role on their page. You get this mail again in a week.',
			})
		})
}

function inWords({ name, username, role, group_name, shown_at }: MissingGroup): string {
	return `${name} (@${username}), ${role} by “${group_name}”, last shown on ${fullDate(siteDay(shown_at.getTime()))}`
}
