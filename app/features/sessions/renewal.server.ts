import type { BetterAuthPlugin } from 'better-auth'
import { APIError, createAuthEndpoint, sensitiveSessionMiddleware } from 'better-auth/api'
import { setSessionCookie } from 'better-auth/cookies'
import { newToken } from '~/lib/secrets.server.ts'
import { renewOnlySession } from './sessions.queries.server.ts'

/**
 * Gives the session of a request a new token and ends the member's others. Better Auth would delete the session and begin another
 * one, and with it what belongs to this browser: its push subscription, the check whether a campus still knows the member, and that
 * they have just confirmed who they are. Only the server itself can call it.
 */
export const sessionRenewal = {
	id: 'session-renewal',
	endpoints: {
		renewSession: createAuthEndpoint.serverOnly(
			{ method: 'POST', use: [sensitiveSessionMiddleware] },
			async (context) => {
				const { session, user } = context.context.session
				const token = newToken()
				const id = Number(session.id)
				if (!(await renewOnlySession(Number(user.id), id, token)))
					throw new APIError('UNAUTHORIZED', { message: 'This session has ended. Log in again.' })
				await setSessionCookie(context, { session: { ...session, token }, user })
				return context.json({ id })
			},
		),
	},
} satisfies BetterAuthPlugin
