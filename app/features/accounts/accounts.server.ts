import { LRUCache } from 'lru-cache'
import { config } from '~/config.server.ts'
import { countAttempt, resetAttempts } from '~/features/rate-limits/rate-limits.server.ts'
import { deviceCookieHeader, rememberDevice } from '~/features/sessions/devices.server.ts'
import type { LoginBasis } from '~/features/sessions/late-logins.server.ts'
import { findPasswordHash } from '~/features/sessions/passwords.queries.server.ts'
import { replacePassword } from '~/features/sessions/passwords.server.ts'
import { recordSecurityEvent } from '~/features/sessions/security-log.server.ts'
import {
	announceAccountChange,
	announceEndedSessions,
	cookieVersionOf,
	findSessionByToken,
	SESSION_ENDED,
	withLastKnownSessions,
} from '~/features/sessions/sessions.server.ts'
import {
	cookieDigest,
	hasSignedCookie,
	sessionTokenOf,
	verifiedCookies,
} from '~/features/sessions/verified-cookies.server.ts'
import { Invalid, NotAllowed, NotFound } from '~/lib/errors.ts'
import { remember } from '~/lib/remember.ts'
import { setRequestMember, setRequestSession, siteFaultOf } from '~/lib/request-scope.server.ts'
import { hashToken } from '~/lib/secrets.server.ts'
import type { SignedIn, Viewer } from '~/lib/viewer.ts'
import { parseForm } from '~/platform/http/form.server.ts'
import { isBackgroundRequest } from '~/platform/http/http.ts'
import { findAccount, findAccountByEmail, findEmailByUsername, findResetOwner } from './accounts.queries.server.ts'
import { changePasswordInput, forgotInput, loginInput, registerInput, resetInput } from './accounts.schema.ts'
import { auth } from './auth.server.ts'
import { loginThatOutlives, notifySessionUsed } from './login-methods.server.ts'
import { requireEmptyHoneypot } from './registration/rules.server.ts'
import { headersWithoutBody, WrongPassword, withDomainErrors } from './security/auth-errors.server.ts'
import { hashPassword, verifyPassword } from './security/credentials.server.ts'
import { passwordError } from './security/password-rules.server.ts'
import {
	beginSecondStep,
	clearFirstStepCookie,
	isSecondFactorRequiredOfStaff,
	isSecondStepMissing,
} from './security/second-step.server.ts'
import { requireAcceptedTerms } from './security/suspension.server.ts'

/** Digests of Cookie headers whose session was looked up in the last minute, and renewed where due. */
const recentLookups = () => remember('recent-lookups', () => new LRUCache<string, true>({ max: 5_000, ttl: 60_000 }))

/**
 * Finds the viewer of a request.
 * @param fresh looks the session up in the database; otherwise a signed cookie of at most 300 s is trusted
 * @returns the viewer, new cookies for the browser, and, when the session was looked up, whether the viewer is staff who has to set
 * up a second factor first
 */
export async function viewerFromRequest(
	request: Request,
	{ fresh = false } = {},
): Promise<{ viewer: Viewer; headers: Headers; lacksSecondFactor?: boolean | undefined }> {
	const cookies = request.headers.get('Cookie') ?? ''
	if (!/(^|;\s*)(__Host-)?session=/.test(cookies)) return { viewer: null, headers: new Headers() }
	const isSigned = hasSignedCookie(cookies)
	const isRecent = (fresh || !isSigned) && recentLookups().has(cookieDigest(cookies))
	// A read renews the signed cookie once it has expired or its member has changed; the browser sends writes with the one it has.
	const found = isRecent || (fresh && isSigned) ? await findUsedSession(request) : undefined
	const known = found?.isDue && !isRecent ? undefined : found
	const verified = known ? viewerOfUser(known) : fresh ? null : verifiedCookies().find(cookies, cookieVersionOf)
	if (verified) {
		setRequestMember(verified.id)
		return { viewer: verified, headers: new Headers(), lacksSecondFactor: known && lacksSecondFactor(known) }
	}
	const { response, headers } = await lookUpSession(request, fresh)
	// Another tab may have logged in meanwhile: background requests by scripts must not overwrite its cookies.
	if (!response) return { viewer: null, headers: isBackgroundRequest(request) ? new Headers() : headers }
	const viewer = viewerOfUser(response.user)
	const isRenewed = headers.getSetCookie().length > 0
	if (fresh || isRenewed) notifySessionUsed(Number(response.session.id))
	if (fresh) recentLookups().set(cookieDigest(cookies), true)
	// A lookup in the database yields a new cookie.
	else if (!isRenewed) verifiedCookies().add(cookies, viewer, new Date(response.session.expiresAt))
	setRequestMember(viewer.id)
	return { viewer, headers, lacksSecondFactor: lacksSecondFactor(response.user) }
}

function lookUpSession(request: Request, fresh: boolean) {
	const query = { disableCookieCache: fresh }
	return auth().api.getSession({ headers: request.headers, query, returnHeaders: true })
}

/**
 * The member that a signed cookie of at most 300 s names, without the database: only good for the name in the header while the
 * database is unavailable.
 */
export async function viewerFromCookie(request: Request): Promise<Viewer> {
	const found = await withLastKnownSessions(() => auth().api.getSession({ headers: request.headers }))
	return found ? viewerOfUser(found.user) : null
}

/**
 * The session of a request and its member, looked up in the database; null without a valid session. Unless it is due for renewal,
 * requests with the same cookies are looked up this way for a minute: thousands of tabs that reconnect then load what they missed.
 */
export async function sessionOf(request: Request): Promise<{ viewer: SignedIn; sessionId: number } | null> {
	const found = await findUsedSession(request)
	return found ? { viewer: viewerOfUser(found), sessionId: found.sessionId } : null
}

/** {@link findSession}, for a session that is being used. */
async function findUsedSession(request: Request) {
	const found = await findSession(request)
	const digest = cookieDigest(request.headers.get('Cookie') ?? '')
	if (found && !found.isDue && !recentLookups().has(digest)) {
		notifySessionUsed(found.sessionId)
		recentLookups().set(digest, true)
	}
	return found
}

/** Like {@link sessionOf}, from the database without Better Auth, which needs two statements and a tenth of a request's time for it. */
async function findSession(request: Request) {
	const { authCookies, secret } = await auth().$context
	const token = sessionTokenOf(request.headers.get('Cookie') ?? '', { name: authCookies.sessionToken.name, secret })
	return token === null ? undefined : findSessionByToken(token)
}

/**
 * Requires that the session of this request still exists and is the viewer's. What it allows calls `requireStandingSession`, too.
 * @returns its id
 * @throws NotAllowed when it has ended
 */
export async function requireSession(viewer: SignedIn, request: Request): Promise<number> {
	const session = await sessionOf(request)
	if (session?.viewer.id !== viewer.id) throw new NotAllowed(SESSION_ENDED)
	return setRequestSession(session.sessionId)
}

/**
 * Registers a member. The answer is the same for an address that has an account; its owner gets a mail.
 * @returns the stored address, whether it has to be confirmed before the first login, and cookies for the browser
 * @throws Invalid, NotAllowed (domain), TooManyRequests
 */
export async function registerMember(
	form: FormData,
	request: Request,
): Promise<{ email: string; confirm: boolean; headers: Headers }> {
	const empty = ['name', 'email', 'password', 'confirmPassword'].every((name) => !form.get(name))
	if (empty) throw new Invalid('All fields are required!')
	requireEmptyHoneypot(form)
	const { name, email, password } = parseForm(registerInput, form)
	const terms = requireAcceptedTerms(form.get('terms'))
	const extras = { terms, challenge: form.get('challenge'), proof: form.get('proof') }
	const { headers } = await withDomainErrors(() =>
		auth().api.signUpEmail({
			body: { name, email, password, ...extras },
			headers: headersWithoutBody(request),
			returnHeaders: true,
		}),
	)
	return { email: email.toLowerCase(), confirm: config().REQUIRE_EMAIL_VERIFICATION, headers: headers ?? new Headers() }
}

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

/** Mails a password reset link; answers the same when nobody has the address. @throws Invalid, TooManyRequests */
export async function requestPasswordReset(form: FormData, request: Request): Promise<void> {
	const { email } = parseForm(forgotInput, form)
	await withDomainErrors(() =>
		auth().api.requestPasswordReset({ body: { email: email.toLowerCase() }, headers: headersWithoutBody(request) }),
	)
}

/**
 * Sets a new password by the token of a mail, and ends all sessions of the account.
 * @returns a cookie that makes this browser a known device, so that strangers who guess cannot lock its reader out; whether passkeys,
 * linked logins or a second factor were removed
 * @throws Invalid, TooManyRequests
 */
export async function resetPassword(form: FormData, request: Request) {
	const { token, password } = parseForm(resetInput, form)
	const owner = await findResetOwner(hashToken(`reset-password:${token}`))
	const done: { status: boolean; hasRemoved?: boolean } = await withDomainErrors(() =>
		auth().api.resetPassword({ body: { token, newPassword: password }, headers: headersWithoutBody(request) }),
	)
	const headers = new Headers()
	if (owner) headers.append('Set-Cookie', deviceCookieHeader((await rememberDevice(owner, request.headers)).cookie))
	return { headers, hasRemoved: done.hasRemoved === true }
}

/**
 * Reloads what sessions store about their member; call it after the commit.
 * @returns the new cookies for the browser
 */
export async function refreshSession(request: Request): Promise<Headers> {
	const { response, headers } = await lookUpSession(request, true)
	if (response) await announceAccountChange(Number(response.user.id))
	return headers
}

/** What only its owner sees of an account. */
export interface AccountView {
	email: string
	emailVerified: boolean
	joinedAt: string
	/** Whether logging in needs a second factor. */
	hasSecondFactor: boolean
}

/** What only its owner sees of an account. @throws NotFound when it is gone */
export async function getAccount(viewer: SignedIn): Promise<AccountView> {
	const account = await findAccount(viewer.id)
	if (!account) throw new NotFound('There is no such account.')
	return {
		email: account.email,
		emailVerified: account.email_verified,
		joinedAt: account.created_at.toISOString(),
		hasSecondFactor: account.second_factor,
	}
}

/** The paths of Better Auth's HTTP interface that are open; each of them passes the guard. */
const open = new Set([
	'/sign-up/email',
	'/sign-in/email',
	'/sign-out',
	'/get-session',
	'/request-password-reset',
	'/reset-password',
])

/** Answers a request to `/api/auth/…`, for programs; pages call the use cases above. */
export async function authHandler(request: Request): Promise<Response> {
	const path = new URL(request.url).pathname.replace(/^\/api\/auth/, '')
	if (path === '/sign-out') return signOut(request)
	if (open.has(path)) return withoutToken(withSiteFault(await auth().handler(request)))
	const nothing = { type: 'about:blank', title: 'There is nothing at this address.', status: 404 }
	return Response.json(nothing, { status: 404 })
}

/** Better Auth answers an unavailable database with an empty 500. @throws Unavailable, DiskFull in its place */
function withSiteFault(answer: Response): Response {
	const fault = answer.status >= 500 ? siteFaultOf(null) : null
	if (fault) throw fault
	return answer
}

async function signOut(request: Request): Promise<Response> {
	const { viewer } = await viewerFromRequest(request)
	const answer = withSiteFault(await auth().handler(request))
	if (viewer && answer.ok) await loggedOut(viewer)
	return answer
}

async function loggedOut({ id, username }: SignedIn): Promise<void> {
	await announceEndedSessions(id, username)
	await recordSecurityEvent('logout', { userId: id })
}

/** Removes the session token from the body, where scripts could read it: it belongs into the HttpOnly cookie only. */
async function withoutToken(answer: Response): Promise<Response> {
	if (!answer.headers.get('Content-Type')?.includes('json')) return answer
	const body: unknown = await answer.json()
	const headers = new Headers(answer.headers)
	headers.delete('Content-Length')
	const text = JSON.stringify(body, (key, value) => (key === 'token' ? undefined : value))
	return new Response(text, { status: answer.status, headers })
}

function isStaff<User extends { role?: string | null }>(user: User): user is User & { role: 'moderator' | 'admin' } {
	return user.role === 'admin' || user.role === 'moderator'
}

/** Whether a member of the staff may act as an ordinary member only, as the site requires a second factor of staff. */
function lacksSecondFactor(user: { role?: string | null; secondFactor?: boolean | null }): boolean {
	return isStaff(user) && user.secondFactor !== true && isSecondFactorRequiredOfStaff()
}

/** The viewer of a session; staff without a required second factor get the role of a member. */
function viewerOfUser(user: {
	id: string | number
	name: string
	image?: string | null
	username?: string | null
	role?: string | null
	secondFactor?: boolean | null
}): SignedIn {
	const role = isStaff(user) && !lacksSecondFactor(user) ? user.role : 'member'
	return { id: Number(user.id), username: user.username ?? '', name: user.name, image: user.image ?? null, role }
}

/**
 * Changes the password of a member who knows the current one. Ends all other sessions and access tokens, and forgets other devices.
 * Failed attempts are counted per member, so that strangers who guess at the login page cannot block it.
 * @returns the new cookies of this session
 * @throws Invalid with the field, TooManyRequests
 */
export async function changePassword(viewer: SignedIn, form: FormData, request: Request): Promise<Headers> {
	const input = parseForm(changePasswordInput, form)
	const { email } = await getAccount(viewer)
	const problem = passwordError(input.newPassword, { ...viewer, email })
	if (problem) throw new Invalid(problem.message, { newPassword: problem.message })
	const counted = [['change-password', String(viewer.id)]] as const
	await countAttempt(counted)
	const sessionId = await requireSession(viewer, request)
	const before = (await findPasswordHash(viewer.id)) ?? ''
	if (!(await verifyPassword(before, input.currentPassword))) throw new WrongPassword()
	const hash = await hashPassword(input.newPassword)
	const token = await replacePassword(viewer.id, sessionId, { before, hash })
	if (token === null) throw new WrongPassword()
	const { headers } = await withDomainErrors(() =>
		auth().api.sendRenewedSession({ body: { token }, headers: headersWithoutBody(request), returnHeaders: true }),
	)
	await Promise.all([
		resetAttempts([...counted, ['login-account', email]]),
		announceEndedSessions(viewer.id, viewer.username, sessionId),
	])
	const { cookie } = await rememberDevice({ id: viewer.id, email }, request.headers)
	headers.append('Set-Cookie', deviceCookieHeader(cookie))
	await recordSecurityEvent('password-changed', { userId: viewer.id })
	return headers
}
