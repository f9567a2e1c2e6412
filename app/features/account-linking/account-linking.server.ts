import { config } from '~/config.server.ts'
import {
	confirmMember,
	findAccountByEmail,
	lockMember,
	removeCredentials,
} from '~/features/accounts/accounts.queries.server.ts'
import { logInAs } from '~/features/accounts/login.server.ts'
import { loginMethods } from '~/features/accounts/login-methods.server.ts'
import {
	LINK_LIFETIME_SECONDS,
	LINK_RETENTION_SECONDS,
	type LinkActivator,
	spendMailBudget,
} from '~/features/accounts/registration/account-mails.server.ts'
import { isAdminEmail, promoteNamedAdmin } from '~/features/accounts/registration/registrations.server.ts'
import { clearAddressProblems } from '~/features/bounces/bounces.server.ts'
import { recordSecurityEvent } from '~/features/sessions/security-log.server.ts'
import { announceEndedSessions } from '~/features/sessions/sessions.server.ts'
import { Invalid, NotAllowed, TooManyRequests } from '~/lib/errors.ts'
import { hashToken, newToken } from '~/lib/secrets.server.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { readCookie, setCookieHeader } from '~/platform/http/cookies.ts'
import { safeRedirect } from '~/platform/http/http.ts'
import { addJob } from '~/platform/jobs/jobs.server.ts'
import { linkMail, type Mail } from '~/platform/mail/mail.server.ts'
import { siteName } from '~/platform/settings/site-name.server.ts'
import {
	activateLink,
	type BrowserLinkRequest,
	deleteLinkRequests,
	findByBrowser,
	findByLink,
	insertLinkRequest,
	replaceLink,
} from './account-linking.queries.server.ts'
import { type LinkingView, linkingPath } from './account-linking.view.ts'

/*
 * Linking a login of the campus to the account that has its address, by a mail to that address. The link counts only in a browser that
 * has just logged in with the same identity: whoever reads the mailbox cannot link the identity of somebody else, and whoever has the
 * identity cannot open an account whose mail they do not read.
 */

/** Seconds for which a login in a browser counts. */
const LOGIN_SECONDS = 1_800

const oldLinkMessage = 'This link has been used or has expired, or a newer one was sent.'

/** A login succeeded, but does not open the account that has its address. `cookie`, a Set-Cookie header, lets the browser link the two. */
export class LinkRequired extends NotAllowed {
	readonly cookie: string
	constructor(cookie: string) {
		super('There is an account with this address already. Log in on the site to link it.')
		this.cookie = cookie
	}
}

/**
 * Stores a login whose address has an account, for this browser to link the two.
 * @param login.userId whose account it is
 * @param login.email the address, which the provider vouches for
 * @param login.identity issuer and subject, as one text
 * @param login.identityName what the provider calls the person, for them to recognize
 * @param login.loginData passed to `logInAs` once the link is followed, and from there to the features
 * @returns what to throw
 */
export async function beginLinking(login: {
	userId: number
	email: string
	provider: string
	identity: string
	identityName: string
	loginData: string
}): Promise<LinkRequired> {
	const { identity, ...request } = login
	const token = newToken()
	const hashes = { identityHash: hashToken(identity), browserHash: hashToken(token) }
	await insertLinkRequest({ ...request, ...hashes, seconds: LOGIN_SECONDS })
	return new LinkRequired(setCookieHeader('login_link', token, LOGIN_SECONDS))
}

/** A Set-Cookie header that ends what {@link beginLinking} began in a browser. */
export const clearLinkCookie = () => setCookieHeader('login_link', '', 0)

/** The page that a browser continues on. @param redirectTo where its login leads; possibly a mailed link that it has just opened */
export function linkingPageFor(redirectTo: string): string {
	if (redirectTo.startsWith(`${linkingPath}?`)) return redirectTo
	return `${linkingPath}?redirectTo=${encodeURIComponent(redirectTo)}`
}

function browserHashOf(request: Request): string {
	return hashToken(readCookie(request.headers.get('Cookie'), 'login_link') ?? '')
}

/** What the page shows; changes nothing, as mail scanners follow links too. @param token of the mailed link, or '' */
export async function findLinking(token: string, request: Request): Promise<LinkingView> {
	const browserHash = browserHashOf(request)
	const link = token
		? await findByLink(db(), { hash: hashToken(token), browserHash, seconds: LOGIN_SECONDS })
		: undefined
	if (!link) {
		const own = await findByBrowser(browserHash, LOGIN_SECONDS)
		const message = token ? oldLinkMessage : ''
		return own ? begunView(own, message) : { state: 'over', message }
	}
	const label = labelOf(link.provider)
	if (link.loginData === null) {
		const own = await findByBrowser(browserHash, LOGIN_SECONDS)
		if (own) return begunView(own, 'That link is for another login than yours.')
		return { state: 'elsewhere', provider: link.provider, label }
	}
	const { name, username, registered_at: registeredAt, email_verified } = link
	const account = { name, username, registeredAt, losesCredentials: !email_verified }
	return { state: 'open', label, identityName: link.identity_name, email: link.email, account }
}

function begunView({ email, provider, identity_name }: BrowserLinkRequest, message: string): LinkingView {
	return { state: 'begun', label: labelOf(provider), identityName: identity_name, email, message }
}

/** The button of a provider on the login page. */
function labelOf(provider: string): string {
	return loginMethods().buttons.find(({ name }) => name === provider)?.label ?? 'Login'
}

/**
 * Mails the link for the login of this browser.
 * @param redirectTo where the link leads once it is followed
 * @throws Invalid if the browser has not logged in recently, TooManyRequests
 */
export async function mailLoginLink(request: Request, redirectTo: unknown): Promise<void> {
	const browserHash = browserHashOf(request)
	const token = newToken()
	await db()
		.transaction()
		.execute(async (trx) => {
			// Two requests at once take turns, so that the mail sent last has the link that counts.
			const own = await findLocked(trx, () => findByBrowser(browserHash, LOGIN_SECONDS, trx))
			if (!own) throw new Invalid('Your login was a while ago. Log in again, and have the link sent then.')
			if (!(await spendMailBudget(trx, own.email, 'linking')))
				throw new TooManyRequests('We have sent several links to this address. Try again in an hour.', 3_600)
			await replaceLink(trx, browserHash, {
				hash: hashToken(token),
				seconds: LINK_LIFETIME_SECONDS,
				retentionSeconds: LINK_RETENTION_SECONDS,
			})
			await addJob('send-mail', linkingMail(own, token, safeRedirect(redirectTo, '/find-dev')), trx)
		})
}

/** Searches, locks the account that was found, and searches again: another request may have changed it before the lock. */
async function findLocked<Row extends { user_id: number }>(
	trx: Executor,
	find: () => Promise<Row | undefined>,
): Promise<Row | undefined> {
	const seen = await find()
	if (!seen) return undefined
	await lockMember(trx, seen.user_id)
	return find()
}

/** Starts the lifetime of a link when its mail is sent. */
export const activateLoginLink: LinkActivator = (token) => activateLink(hashToken(token), LINK_LIFETIME_SECONDS)

function linkingMail(
	{ email, provider, username }: { email: string; provider: string; username: string },
	token: string,
	redirectTo: string,
): Mail {
	const { publicUrl } = config()
	const back = redirectTo === '/find-dev' ? '' : `&redirectTo=${encodeURIComponent(redirectTo)}`
	const text = `Someone, probably you, used “${labelOf(provider)}” at ${siteName()}, and wants to open the account @${username}, which has this address, that way from now on.`
	const link = { label: 'Link it to my account', url: `${publicUrl}${linkingPath}?token=${token}${back}` }
	const closing =
		'The link works once, for 10 minutes, in the browser in which you logged in. If this was not you, or the account is not yours, do not open it: nothing changes then.'
	const mail = linkMail(email, `Link your login to your account at ${siteName()}`, text, link, closing)
	return { ...mail, link: { kind: 'link-login', token } }
}

/**
 * Logs in to the account that a link was mailed to, in the browser that logged in with the identity. The features link it when the session
 * begins, so that an account with a second factor is linked only after that. The mail proves the address: what was set up while
 * nobody had proved it ends.
 * @returns the cookies of the session, and a page that takes precedence for a member who asked for deletion
 * @throws Invalid for a link that does not count here, SecondStepRequired, errors of `logInAs`
 */
export async function followLoginLink(
	token: string,
	request: Request,
): Promise<{ headers: Headers; leadsTo: string | null }> {
	const { link, loginData } = await db()
		.transaction()
		.execute(async (trx) => {
			const asked = { hash: hashToken(token), browserHash: browserHashOf(request), seconds: LOGIN_SECONDS }
			const link = await findLocked(trx, () => findByLink(trx, asked))
			if (!link) throw new Invalid(oldLinkMessage)
			if (link.loginData === null) throw new Invalid('Log in with the campus in this browser first.')
			await deleteLinkRequests(trx, link.user_id, link.identity_hash)
			if ((await findAccountByEmail(link.email, trx))?.id !== link.user_id) throw new Invalid(oldLinkMessage)
			if (!link.email_verified) {
				// Linked logins too: whoever registered with this address may have linked one of theirs.
				await removeCredentials(trx, link.user_id, true)
				await confirmMember(link.user_id, trx)
				await clearAddressProblems(trx, link.user_id, link.email)
			}
			return { link, loginData: link.loginData }
		})
	if (!link.email_verified) {
		await announceEndedSessions(link.user_id, link.username)
		await recordSecurityEvent('verify', { userId: link.user_id })
		if (isAdminEmail(link.email)) await promoteNamedAdmin(link.email)
	}
	const headers = await logInAs(link.user_id, request, loginData)
	return { headers, leadsTo: link.is_leaving ? '/settings/leave' : null }
}
