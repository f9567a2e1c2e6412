import { APIError, createAuthEndpoint } from 'better-auth/api'
import { setSessionCookie } from 'better-auth/cookies'
import { z } from 'zod'

/**
 * Begins a session for a member who has proved elsewhere who they are. Nobody reaches it by HTTP: `accounts.server.ts` passes on a
 * few paths alone, and this is none of them.
 */
export const outsideLogin = {
	id: 'outside-login',
	endpoints: {
		logInAs: createAuthEndpoint(
			'/log-in-as',
			{
				method: 'POST',
				requireHeaders: true,
				body: z.object({ userId: z.number() }),
				metadata: { SERVER_ONLY: true },
			},
			async (context) => {
				const { internalAdapter } = context.context
				const user = await internalAdapter.findUserById(String(context.body.userId))
				const session = user && (await internalAdapter.createSession(user.id))
				if (!session) throw new APIError('UNAUTHORIZED', { message: 'There is no such account any more.' })
				await setSessionCookie(context, { session, user })
				return context.json({ sessionId: Number(session.id) })
			},
		),
	},
} as const
