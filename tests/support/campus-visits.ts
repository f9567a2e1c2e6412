import { config } from '~/config.server.ts'
import { beginFlow, finishFlow } from '~/features/campus-login/login-flow.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { cookiePairs } from './browser.ts'
import { requestOf, saveSettings } from './login-visits.ts'
import { type CampusAccount, type CampusSite, startCampus } from './oidc-site.ts'

/* Helpers for tests of what a login at the campus leads to: offering it, an account there, and logging in with that. */

/** Starts a campus for the site of this process. */
export function startOwnCampus(): Promise<CampusSite> {
	return startCampus(`${config().publicUrl}/login/campus/callback`)
}

/** Offers the login of a campus, as an admin does. @param input fields that differ from the saved ones */
export function offerCampus(admin: SignedIn, campus: CampusSite, input: Record<string, string> = {}): Promise<void> {
	const { issuer, clientId, clientSecret } = campus
	const own = { isOn: 'on', issuer, clientId, 'password-clientSecret': clientSecret }
	return saveSettings(admin, 'campus-login', { ...own, ...input })
}

/** Adds an account at the campus, and logs its owner in there. */
export function enrolVisitor(campus: CampusSite, account: CampusAccount): void {
	campus.visitor = account.sub
	campus.accounts.set(account.sub, account)
}

/** An account at the campus. @param number makes it unlike all others */
export function studentAccount(number: number): CampusAccount {
	const username = `student${number}`
	return { sub: `s-${number}`, preferred_username: username, email: `${username}@eastmere.example` }
}

/** Logs the campus's visitor in to the site, in a new browser. */
export async function logInAtCampus(campus: CampusSite): ReturnType<typeof finishFlow> {
	const begun = await beginFlow('campus', { viewer: null, linkTo: null, redirectTo: '', ip: '192.0.2.1' })
	const { pathname, search } = new URL(await campus.visit(begun.url))
	return finishFlow('campus', requestOf(pathname + search, cookiePairs(begun.headers)), null, '192.0.2.1')
}
