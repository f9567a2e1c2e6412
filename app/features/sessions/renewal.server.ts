import type { BetterAuthPlugin } from 'better-auth'
import { APIError, createAuthEndpoint } from 'better-auth/api'
import { setSessionCookie } from 'better-auth/cookies'
import { z } from 'zod'
import { SESSION_ENDED } from './sessions.server.ts'

/**
 * Gives a browser the cookies of its session after `renewOnlySession`. Better Auth would delete the session and begin another one, and
 * with it what belongs to this browser: its push subscription, the check whether a campus still knows the member, and that they have
 * just confirmed who they are. Only the server itself can call it.
 */
export const sessionRenewal = {
	id: 'session-renewal',
	endpoints: {
		sendRenewedSession: createAuthEndpoint.serverOnly(
			{ method: 'POST', body: z.object({ token: z.string() }) },
			async (context) => {
				const found = await context.context.internalAdapter.findSession(context.body.token)
				if (!found) throw new APIError('UNAUTHORIZED', { message: SESSION_ENDED })
				await setSessionCookie(context, found)
				return context.json({ status: true })
			},
		),
	},
} satisfies BetterAuthPlugin
