import type { LoginBasis } from '~/features/sessions/late-logins.server.ts'
import { recordSecurityEvent } from '~/features/sessions/security-log.server.ts'
import { announceEndedSessions } from '~/features/sessions/sessions.server.ts'
import { NotAllowed } from '~/lib/errors.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { parseForm } from '~/platform/http/form.server.ts'
import { findAccountByEmail, findEmailByUsername } from './accounts.queries.server.ts'
import { loginInput } from './accounts.schema.ts'
import { auth } from './auth.server.ts'
import { loginThatOutlives } from './login-methods.server.ts'
import { headersWithoutBody, withDomainErrors } from './security/auth-errors.server.ts'
import { beginSecondStep, clearFirstStepCookie, isSecondStepMissing } from './security/second-step.server.ts'
import { findSession, viewerFromRequest } from './viewer.server.ts'

/* Logging in and out. */

/**
 * Logs a member in by e-mail or username.
 * @returns the cookies of the session
 * @throws Invalid for a wrong password or an unconfirmed address, TooManyRequests; SecondStepRequired
 */
export async function logIn(form: FormData, request: Request): Promise<Headers> {
	const input = parseForm(loginInput, form)
	const name = input.email.toLowerCase()
	const username = /^[a-z0-9_.-]+$/.test(name) ? name : ''
	// An unknown username is handled like an unknown address: the same work, the same answer.
	const known = name.includes('@') ? name : await findEmailByUsername(username)
	const email = known ?? `${username || 'nobody'}@nobody.invalid`
	const body = { email, password: input.password }
	const signIn = () => auth().api.signInEmail({ body, headers: headersWithoutBody(request), returnHeaders: true })
	try {
		return (await signIn()).headers
	} catch (error) {
		const member = isSecondStepMissing(error) ? await findAccountByEmail(email) : null
		if (member) throw new SecondStepRequired(await withDomainErrors(() => beginSecondStep(member.id)))
		return withDomainErrors(() => Promise.reject(error))
	}
}

/** The first step succeeded, and the account has a second factor: `cookie`, a Set-Cookie header, continues the login there. */
export class SecondStepRequired extends NotAllowed {
	readonly cookie: string
	constructor(cookie: string) {
		super('This account has a second factor. Log in on the site.')
		this.cookie = cookie
	}
}

/**
 * Begins a session for a member who has proved their identity by more than a password.
 * @param basis what the login rests on
 * @param loginData data of the first step's login method for the session
 * @returns the cookies of the session
 * @throws Invalid when the account or the basis is gone
 */
export async function beginSession(
	userId: number,
	request: Request,
	basis: LoginBasis,
	loginData: string | null = null,
): Promise<Headers> {
	const body = { userId, loginData, basis }
	const sent = { body, headers: headersWithoutBody(request), returnHeaders: true } as const
	const { headers } = await withDomainErrors(() => auth().api.beginSession(sent))
	headers.append('Set-Cookie', clearFirstStepCookie())
	return headers
}

/**
 * Begins a session for a member who was authenticated elsewhere.
 * @param loginData passed to `onSessionBegun` of the features when the session begins, after a second step if there is one; stored
 * encrypted
 * @returns the cookies of the session
 * @throws Invalid when the account is gone; SecondStepRequired; errors of `onSessionBegun`
 */
export async function logInAs(userId: number, request: Request, loginData: string | null): Promise<Headers> {
	try {
		const sent = { body: { userId, loginData }, headers: headersWithoutBody(request), returnHeaders: true } as const
		return (await auth().api.logInAs(sent)).headers
	} catch (error) {
		if (isSecondStepMissing(error))
			throw new SecondStepRequired(await withDomainErrors(() => beginSecondStep(userId, loginData)))
		return withDomainErrors(() => Promise.reject(error))
	}
}

/** Ends the session of this request. @returns the cookies that delete it; as {@link loginThatOutlives} */
export async function logOut(request: Request): Promise<{ headers: Headers; outlivedBy: string | null }> {
	const [{ viewer }, session] = await Promise.all([viewerFromRequest(request), findSession(request)])
	const outlivedBy = session ? await loginThatOutlives(session.sessionId) : null
	const { headers } = await auth().api.signOut({ headers: request.headers, returnHeaders: true })
	if (viewer) await loggedOut(viewer)
	return { headers, outlivedBy }
}

export async function loggedOut({ id, username }: SignedIn): Promise<void> {
	await announceEndedSessions(id, username)
	await recordSecurityEvent('logout', { userId: id })
}
