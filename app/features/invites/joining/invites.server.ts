import { config } from '~/config.server.ts'
import { whoMayRegister } from '~/features/accounts/registration/who-may-register.server.ts'
import { countUse } from '~/features/rate-limits/rate-limits.server.ts'
import { recordSecurityEvent } from '~/features/sessions/security-log.server.ts'
import { Conflict, NotAllowed } from '~/lib/errors.ts'
import { hashToken, newToken } from '~/lib/secrets.server.ts'
import { isModerator, type SignedIn, type Viewer } from '~/lib/viewer.ts'
import { type Input, parseInput } from '~/platform/http/form.server.ts'
import { inviteInput } from '../invites.schema.ts'
import type { InviteView } from '../invites.view.ts'
import { type InviteRow, insertInvite, listInviteRows, revokeRow } from './invites.queries.server.ts'

/* Links to invite people with: admins make them, and moderators where the settings say so. */

const INVITES_SHOWN = 50

/** Who may invite. @throws NotAllowed */
export function requireInviter(viewer: Viewer): SignedIn {
	if (isModerator(viewer) && viewer && (viewer.role === 'admin' || whoMayRegister().doModeratorsInvite)) return viewer
	throw new NotAllowed('Only admins can invite people here.')
}

/**
 * Makes a link.
 * @param input uses, days, cohort
 * @returns its address, which is shown once: the database holds a hash of its token
 * @throws NotAllowed, Invalid, TooMany
 */
export async function makeInvite(viewer: Viewer, input: Input): Promise<string> {
	const inviter = requireInviter(viewer)
	const { cohort, days, uses } = parseInput(inviteInput, input)
	await countUse('profileSaves', inviter)
	const token = newToken()
	const id = await insertInvite({ hash: hashToken(token), cohort, days, uses, createdBy: inviter.id })
	await recordSecurityEvent('invite-made', { userId: inviter.id, detail: { invite: id } })
	return `${config().publicUrl}/invite?token=${token}`
}

/** The newest links. @throws NotAllowed */
export async function getInvites(viewer: Viewer): Promise<InviteView[]> {
	requireInviter(viewer)
	return (await listInviteRows(INVITES_SHOWN)).map(present)
}

/** Ends a link; who registered by it and has not confirmed the address is no member any more. @throws NotAllowed, Conflict */
export async function revokeInvite(viewer: Viewer, id: number): Promise<void> {
	const inviter = requireInviter(viewer)
	if (!(await revokeRow(id))) throw new Conflict('This link has already been revoked.')
	await recordSecurityEvent('invite-revoked', { userId: inviter.id, detail: { invite: id } })
}

/** What a link stands for now. */
export function stateOf({ revoked_at, is_expired, used, max_uses }: InviteRow): InviteView['state'] {
	if (revoked_at) return 'revoked'
	if (is_expired) return 'expired'
	return used >= max_uses ? 'used up' : 'open'
}

function present(row: InviteRow): InviteView {
	const { id, cohort, used, by } = row
	return {
		...{ id, cohort, used, by },
		maxUses: row.max_uses,
		expiresAt: row.expires_at.toISOString(),
		createdAt: row.created_at.toISOString(),
		state: stateOf(row),
	}
}
