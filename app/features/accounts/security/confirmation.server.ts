import { recordSecurityEvent } from '~/features/sessions/security-log.server.ts'
import { isSessionConfirmed, writeConfirmation } from '~/features/sessions/sessions.queries.server.ts'
import { ConfirmationRequired } from '~/lib/errors.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { requireSession } from '../accounts.server.ts'

/*
 * “Confirm it is you”: what could cost a member their account is done only in a session whose member proved lately who they are,
 * so that a device left unlocked, or a stolen cookie, is not enough (docs/decisions/0075-confirm-it-is-you.md).
 */

/** How long a proof counts, in seconds. */
const CONFIRMATION_LIFETIME = 600

/**
 * Insists that the member of this session has proved within the last ten minutes who they are; a login counts. To be called before
 * anything is read or written for an act that could cost them their account, and after the question whether they may at all.
 * @param back where a form leads after the confirmation: a path; the address of the request where it has a page of its own
 * @returns the id of the session
 * @throws ConfirmationRequired, which `answering` and `refused` turn into a redirect, and the API into 403
 * @throws NotAllowed when the session has ended
 */
export async function requireConfirmed(viewer: SignedIn, request: Request, back = pathOf(request)): Promise<number> {
	const sessionId = await requireSession(viewer, request)
	if (!(await isSessionConfirmed(sessionId, CONFIRMATION_LIFETIME))) throw new ConfirmationRequired(back)
	return sessionId
}

/** Notes that the member of a session has just proved who they are. @param sessionId from `requireSession` */
export async function confirmSession(viewer: SignedIn, sessionId: number): Promise<void> {
	await writeConfirmation(viewer.id, sessionId)
	await recordSecurityEvent('confirmed', { userId: viewer.id })
}

/** The page that a request was for: its address without what the framework adds to it. */
function pathOf(request: Request): string {
	const { pathname, searchParams } = new URL(request.url)
	for (const name of ['_routes', 'index']) searchParams.delete(name)
	const search = searchParams.size > 0 ? `?${searchParams}` : ''
	return (pathname.replace(/\.data$/, '').replace(/^\/_root$/, '/') || '/') + search
}
