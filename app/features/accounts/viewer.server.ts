import { LRUCache } from 'lru-cache'
import { type RouterContextProvider, redirect } from 'react-router'
import {
	announceAccountChange,
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
import { loginPath } from '~/lib/addresses.ts'
import { NotAllowed } from '~/lib/errors.ts'
import { remember } from '~/lib/remember.ts'
import { setRequestMember, setRequestSession } from '~/lib/request-scope.server.ts'
import type { SignedIn, Viewer } from '~/lib/viewer.ts'
import { isBackgroundRequest, requireLogin } from '~/platform/http/http.ts'
import { auth } from './auth.server.ts'
import { notifySessionUsed } from './login-methods.server.ts'
import { isSecondFactorRequiredOfStaff } from './security/second-step.server.ts'

/* Who sent a request: the viewer, by the cookies of their session. */

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

/** What a loader gets of a request for a page. */
export interface PageRequest {
	request: Request
	context: Readonly<RouterContextProvider>
	url: URL
}

/**
 * Requires a login for a page, and looks its session up in the database: a revoked session sees nothing, although its cookie is
 * trusted for some minutes elsewhere.
 * @returns as {@link viewerFromRequest}
 * @throws a redirect to the login page, which leads back here
 */
export async function requireFreshLogin({ request, context, url }: PageRequest) {
	requireLogin(context, url)
	const { viewer, headers, lacksSecondFactor } = await viewerFromRequest(request, { fresh: true })
	if (!viewer) throw redirect(loginPath(url.pathname + url.search), { headers })
	return { viewer, headers, lacksSecondFactor }
}

/**
 * The viewer of a page for staff, with their role in the database. Cookies alone are not trusted: a viewer who was logged out elsewhere
 * or lost the role sees nothing.
 * @throws a redirect to the login page, or to where staff set up the required second factor
 */
export async function requirePageViewer(page: PageRequest): Promise<SignedIn> {
	const { viewer, headers, lacksSecondFactor } = await requireFreshLogin(page)
	if (lacksSecondFactor) throw redirect('/settings/two-factor', { headers })
	return viewer
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
export async function findSession(request: Request) {
	const { authCookies, secret } = await auth().$context
	const token = sessionTokenOf(request.headers.get('Cookie') ?? '', { name: authCookies.sessionToken.name, secret })
	return token === null ? undefined : findSessionByToken(token)
}

/**
 * Requires that the session of this request still exists and is the viewer's. An action that needs this also calls
 * `requireStandingSession` in its transaction.
 * @returns its id
 * @throws NotAllowed when it has ended
 */
export async function requireSession(viewer: SignedIn, request: Request): Promise<number> {
	const session = await sessionOf(request)
	if (session?.viewer.id !== viewer.id) throw new NotAllowed(SESSION_ENDED)
	return setRequestSession(session.sessionId)
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
