import { refuseSuspended } from '~/features/accounts/security/suspension.server.ts'
import { lockStanding } from '~/features/questions/status/posting.queries.server.ts'
import { NotAllowed } from '~/lib/errors.ts'
import { isModerator, type SignedIn, type Viewer } from '~/lib/viewer.ts'
import type { Executor } from '~/platform/db/db.server.ts'
import { findRole } from './members.queries.server.ts'
import { mayModerate } from './moderation.policy.ts'

/** Refuses whoever does not keep order here. @throws NotAllowed */
export function moderator(viewer: Viewer): SignedIn {
	if (!mayModerate(viewer)) throw new NotAllowed('Only moderators can do this.')
	return viewer
}

/** Holds a moderator's row while they act: whoever lost the role or was suspended a moment ago does nothing any more. */
export async function lockModerator(trx: Executor, viewer: SignedIn): Promise<SignedIn> {
	const standing = await lockStanding(trx, viewer.id)
	const fresh = standing ? { ...viewer, role: standing.role } : null
	if (!standing || !mayModerate(fresh)) throw new NotAllowed('Only moderators can do this.')
	refuseSuspended(standing)
	return fresh
}

/**
 * The viewer without the role that a session remembers and the database has taken back. It never adds one: a moderator's token
 * without the scope `moderate` acts for a plain member.
 */
export async function withFreshRole<Someone extends SignedIn | null>(viewer: Someone): Promise<Someone> {
	return isModerator(viewer) && viewer ? { ...viewer, role: (await findRole(viewer.id)) ?? 'member' } : viewer
}
