import { AsyncLocalStorage } from 'node:async_hooks'
import type { BetterAuthPlugin } from 'better-auth'
import { APIError, createAuthEndpoint } from 'better-auth/api'
import { setSessionCookie } from 'better-auth/cookies'
import { z } from 'zod'
import { type LoginBasis, requireLoginBasis, requireSessionBasis } from '~/features/sessions/late-logins.server.ts'
import { deleteLoginChallenge } from '~/features/sessions/sessions.queries.server.ts'
import { endReplacedSessions } from '~/features/sessions/sessions.server.ts'
import { remember } from '~/lib/remember.ts'
import { hashToken, newToken } from '~/lib/secrets.server.ts'
import { readCookie, setCookieHeader } from '~/platform/http/cookies.ts'
import { checkboxSetting, settingSection } from '~/platform/settings/setting.ts'
import { siteSettings } from '~/platform/settings/settings.server.ts'
import {
	findLoginChallenge,
	hasSecondFactor,
	insertLoginChallenge,
	type PendingLogin,
} from '../accounts.queries.server.ts'
import { notifySessionBegun } from '../login-methods.server.ts'
import { afterLogin } from './guard.server.ts'

/*
 * Login in two steps: after the right password, an account with a second factor gets no session, but ten minutes to prove the
 * second factor. The proofs are in the feature `authenticators`.
 */

/** The setting that says what staff have to do to keep their rights. */
export const staffSection = settingSection({
	name: 'staff',
	title: 'Moderators and admins',
	about: 'What moderators and admins have to set up before they can act as such.',
	settings: {
		requireSecondFactor: checkboxSetting({
			label: 'Moderators and admins need a second factor',
			hint: 'Until they set up an authenticator app, they can only do what members can.',
			environment: 'REQUIRE_STAFF_SECOND_FACTOR',
		}),
	},
})

/** Whether moderators and admins can act as such only with a second factor. */
export function isSecondFactorRequiredOfStaff(): boolean {
	return siteSettings(staffSection).requireSecondFactor
}

/** Seconds within which the second step must follow the password. */
const CHALLENGE_LIFETIME = 600
const code = 'SECOND_FACTOR_REQUIRED'

const proven = remember('second-step', () => new AsyncLocalStorage<number>())

/**
 * Runs before any session is created, by any login method: a member with a second factor gets none without the second step.
 * @throws APIError 401 SECOND_FACTOR_REQUIRED
 */
export async function requireSecondStep(session: { userId: unknown }): Promise<void> {
	const userId = Number(session.userId)
	if (proven.getStore() === userId || !(await hasSecondFactor(userId))) return
	throw new APIError('UNAUTHORIZED', { code, message: 'This account has a second factor. Log in on the site.' })
}

/** Whether a login was refused only because its second step is missing. */
export function isSecondStepMissing(refusal: unknown): boolean {
	return refusal instanceof APIError && refusal.body?.code === code
}

/**
 * Lets a member continue with the second step.
 * @param loginData data of the login method for the session; null for a password
 * @returns the cookie for it, as a header
 * @throws APIError as `requireLoginBasis` does
 */
export async function beginSecondStep(userId: number, loginData: string | null = null): Promise<string> {
	const token = newToken()
	const hash = hashToken(token)
	await insertLoginChallenge({ userId, hash, seconds: CHALLENGE_LIFETIME, loginData })
	await requireLoginBasis(userId, () => deleteLoginChallenge(hash))
	return setCookieHeader('login', token, CHALLENGE_LIFETIME)
}

/** Who has given the right password in this browser within ten minutes; null for nobody. */
export async function findPendingLogin(request: Request): Promise<(PendingLogin & { hash: string }) | null> {
	const token = readCookie(request.headers.get('Cookie'), 'login')
	if (!token) return null
	const waiting = await findLoginChallenge(hashToken(token))
	return waiting ? { ...waiting, hash: hashToken(token) } : null
}

/** Deletes the cookie of the first step. */
export const clearFirstStepCookie = () => setCookieHeader('login', '', 0)

const beginInput = z.object({ userId: z.int(), loginData: z.string().nullable(), basis: z.custom<LoginBasis>() })

/** Begins a session after the second step. Only the server itself can call it. */
export const secondStep = {
	id: 'second-step',
	endpoints: {
		beginSession: createAuthEndpoint.serverOnly({ method: 'POST', body: beginInput }, async (context) => {
			const { internalAdapter, authCookies, secret } = context.context
			const { userId, loginData, basis } = context.body
			const user = await internalAdapter.findUserById(String(userId))
			if (!user) throw new APIError('UNAUTHORIZED', { message: 'There is no such account.' })
			const session = await proven.run(userId, () => internalAdapter.createSession(String(userId)))
			if (!session) throw new APIError('INTERNAL_SERVER_ERROR', { message: 'The session could not be made.' })
			await notifySessionBegun(session, loginData, internalAdapter.deleteSession)
			const begun = await requireSessionBasis({ session, user }, basis)
			const before = await context.getSignedCookie(authCookies.sessionToken.name, secret)
			await setSessionCookie(context, { session, user })
			await endReplacedSessions(before || null, begun)
			await afterLogin(context as unknown as Parameters<typeof afterLogin>[0], { id: userId, email: user.email })
			return context.json({ status: true })
		}),
	},
} satisfies BetterAuthPlugin
