import { recordSecurityEvent } from '~/features/sessions/security-log.server.ts'
import { isSessionConfirmed, writeConfirmation } from '~/features/sessions/sessions.queries.server.ts'
import { ConfirmationRequired } from '~/lib/errors.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { requireSession } from '../viewer.server.ts'

/*
 * “Confirm it is you”: actions that could cost a member their account require a session whose member has recently proved who they
 * are. So an unlocked device, or a stolen cookie, is not enough (docs/decisions/0075-confirm-it-is-you.md).
 */

/** Seconds for which a confirmation is valid. */
const CONFIRMATION_LIFETIME = 600

/**
 * Requires that the member of this session has proved who they are within the last ten minutes; a login counts. Call it before
 * anything is read or written for the action, and after checking that they may do it.
 * @param back where to go after the confirmation: a path; by default the address of the request
 * @returns the id of the session
 * @throws ConfirmationRequired, which `withHttpErrors` and `refuseForm` turn into a redirect, and the API into 403
 * @throws NotAllowed when the session has ended
 */
export async function requireConfirmed(viewer: SignedIn, request: Request, back = pathOf(request)): Promise<number> {
	const sessionId = await requireSession(viewer, request)
	if (!(await isSessionConfirmed(sessionId, CONFIRMATION_LIFETIME))) throw new ConfirmationRequired(back)
	return sessionId
}

/** Stores that the member of a session has just proved who they are. @param sessionId from `requireSession` */
export async function confirmSession(viewer: SignedIn, sessionId: number): Promise<void> {
	await writeConfirmation(viewer.id, sessionId)
	await recordSecurityEvent('confirmed', { userId: viewer.id })
}

/** The page of a request: its address without React Router's additions. */
function pathOf(request: Request): string {
	const { pathname, searchParams } = new URL(request.url)
	for (const name of ['_routes', 'index']) searchParams.delete(name)
	const search = searchParams.size > 0 ? `?${searchParams}` : ''
	return (pathname.replace(/\.data$/, '').replace(/^\/_root$/, '/') || '/') + search
}
