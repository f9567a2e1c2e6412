import type { RouterContextProvider } from 'react-router'
import { lockModerator, moderatorOf } from '~/features/moderation/members.server.ts'
import { NotAllowed } from '~/lib/errors.ts'
import type { SignedIn, Viewer } from '~/lib/viewer.ts'
import type { Executor } from '~/platform/db/db.server.ts'

/* Who may administer: admins, by what the database says now. */

const ADMINS_ONLY = 'Only admins can do this.'

/** Refuses whoever is no admin. @throws NotAllowed */
export function requireAdmin(viewer: Viewer): SignedIn {
	if (viewer?.role !== 'admin') throw new NotAllowed(ADMINS_ONLY)
	return viewer
}

/**
 * The admin who asks for a page, by their session and not by a cookie alone.
 * @throws a redirect to the login page, NotAllowed
 */
export async function adminOf(asked: {
	request: Request
	context: Readonly<RouterContextProvider>
	url: URL
}): Promise<SignedIn> {
	return requireAdmin(await moderatorOf(asked))
}

/** Locks an admin's row while they act: whoever lost the role or was suspended a moment ago does nothing any more. @throws NotAllowed */
export async function lockAdmin(trx: Executor, viewer: SignedIn): Promise<SignedIn> {
	return requireAdmin(await lockModerator(trx, viewer))
}
