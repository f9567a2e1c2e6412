import { type PageRequest, requirePageViewer } from '~/features/accounts/viewer.server.ts'
import { lockModerator } from '~/features/moderation/members.server.ts'
import { requireAdmin, type SignedIn } from '~/lib/viewer.ts'
import type { Executor } from '~/platform/db/db.server.ts'

/* Who may administer: members who are admins in the database now. */

/** Requires an admin for a page, whose session is checked in the database. @throws a redirect to the login page, NotAllowed */
export async function requirePageAdmin(asked: PageRequest): Promise<SignedIn> {
	return requireAdmin(await requirePageViewer(asked))
}

/** Locks an admin's row while they act, so that one who has just lost the role or was suspended can do nothing. @throws NotAllowed */
export async function lockAdmin(trx: Executor, viewer: SignedIn): Promise<SignedIn> {
	return lockModerator(trx, viewer, requireAdmin)
}
