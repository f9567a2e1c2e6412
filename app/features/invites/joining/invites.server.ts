import { config } from '~/config.server.ts'
import { registrationSettings } from '~/features/accounts/registration/rules.server.ts'
import { lockModerator } from '~/features/moderation/members.server.ts'
import { countUse } from '~/features/rate-limits/rate-limits.server.ts'
import { recordSecurityEvent } from '~/features/sessions/security-log.server.ts'
import { isId } from '~/lib/checks.ts'
import { Conflict, NotAllowed } from '~/lib/errors.ts'
import { hashToken, newToken } from '~/lib/secrets.server.ts'
import { pluralize } from '~/lib/text.ts'
import { isModerator, type SignedIn, type Viewer } from '~/lib/viewer.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { decodeIdCursor, type Page, pageOf } from '~/platform/http/cursors.ts'
import { type Input, parseInput } from '~/platform/http/form.server.ts'
import { inviteInput } from '../invites.schema.ts'
import type { InviteView } from '../invites.view.ts'
import { logInvitation } from '../log.server.ts'
import { type InviteRow, insertInvite, listInviteRows, revokeInviteRow } from './invites.queries.server.ts'

/* Invitation links, made by admins and, if the settings allow it, by moderators. */

const INVITES_PER_PAGE = 50

/** Returns the viewer if they may invite. @throws NotAllowed */
export function requireInviter(viewer: Viewer): SignedIn {
	const { doModeratorsInvite } = registrationSettings()
	if (viewer?.role === 'admin' || (viewer && doModeratorsInvite && isModerator(viewer))) return viewer
	throw new NotAllowed(`Only ${doModeratorsInvite ? 'moderators' : 'admins'} can invite people here.`)
}

/** Locks the inviter's row while they act, as moderation does. @throws NotAllowed */
async function lockInviter(trx: Executor, inviter: SignedIn): Promise<void> {
	await lockModerator(trx, inviter, requireInviter)
}

/**
 * Makes a link.
 * @param input uses, days, cohort
 * @returns its id, and its address, which is shown once, as only a hash of the token is stored
 * @throws NotAllowed, also for a suspended moderator, Invalid, TooManyRequests
 */
export async function makeInvite(viewer: Viewer, input: Input): Promise<{ id: number; address: string }> {
	const inviter = requireInviter(viewer)
	const { cohort, days, uses } = parseInput(inviteInput, input)
	await countUse('profileSaves', inviter)
	const token = newToken()
	const invite = { hash: hashToken(token), cohort, days, uses, createdBy: inviter.id }
	const id = await db()
		.transaction()
		.execute(async (trx) => {
			await lockInviter(trx, inviter)
			const made = await insertInvite(invite, trx)
			const note = [cohort && `for ${cohort}`, pluralize(uses, 'use')].filter(Boolean).join(', ')
			await logInvitation(trx, inviter, { act: 'make an invitation link', title: `Link ${made}`, note })
			return made
		})
	await recordSecurityEvent('invite-made', { userId: inviter.id, detail: { invite: id } })
	return { id, address: `${config().publicUrl}/invite?token=${token}` }
}

/** A page of links, newest first. @throws NotAllowed; Invalid for a malformed cursor */
export async function getInvites(viewer: Viewer, cursor: string | null = null): Promise<Page<InviteView>> {
	requireInviter(viewer)
	const found = await listInviteRows(cursor === null ? null : decodeIdCursor(cursor), INVITES_PER_PAGE + 1)
	const { rows, next } = pageOf(found, INVITES_PER_PAGE, ({ id }) => [id])
	return { rows: rows.map(present), next }
}

/** Revokes a link, and cancels unconfirmed registrations made with it. @throws NotAllowed, Conflict */
export async function revokeInvite(viewer: Viewer, id: number): Promise<void> {
	const inviter = requireInviter(viewer)
	const isRevoked = await db()
		.transaction()
		.execute(async (trx) => {
			const isOpen = isId(id) && (await revokeInviteRow(trx, id))
			await lockInviter(trx, inviter)
			if (isOpen) await logInvitation(trx, inviter, { act: 'revoke an invitation link', title: `Link ${id}` })
			return isOpen
		})
	if (!isRevoked) throw new Conflict('This link has already been revoked.')
	await recordSecurityEvent('invite-revoked', { userId: inviter.id, detail: { invite: id } })
}

/** The present state of a link. */
export function inviteStateOf({ revoked_at, is_expired, used, max_uses }: InviteRow): InviteView['state'] {
	if (revoked_at) return 'revoked'
	if (is_expired) return 'expired'
	return used >= max_uses ? 'used up' : 'open'
}

function present(row: InviteRow): InviteView {
	const { id, cohort, used, by } = row
	return {
		id,
		cohort,
		used,
		by,
		maxUses: row.max_uses,
		expiresAt: row.expires_at.toISOString(),
		createdAt: row.created_at.toISOString(),
		state: inviteStateOf(row),
	}
}
