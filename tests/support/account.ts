import { registerMember } from '~/features/accounts/accounts.server.ts'
import { logIn } from '~/features/accounts/login.server.ts'
import { viewerFromRequest } from '~/features/accounts/viewer.server.ts'
import type { SignedIn, Viewer } from '~/lib/viewer.ts'
import { cookiesOf, form, request } from './browser.ts'

/* Members who register and log in with a password by the use cases of the forms, for tests of accounts and sessions. */

/** The password of these members. */
export const password = 'a lantern at the ford'

/** A member, and the cookies of the session that their browser has. */
export interface LoggedIn {
	email: string
	viewer: SignedIn
	cookie: string
}

/**
 * Registers a member with {@link password}, and logs in.
 * @param name theirs, and the first part of the address, in which blanks are left out
 * @throws Error when the session is not valid
 */
export async function registerAndLogIn(name: string): Promise<LoggedIn> {
	const email = `${name.replaceAll(' ', '').toLowerCase()}@eastmere.example`
	await registerMember(form({ name, email, password, confirmPassword: password }), request())
	const cookie = await enter(email)
	const viewer = await viewerOfCookie(cookie)
	if (!viewer) throw new Error(`${email} is not logged in.`)
	return { email, viewer, cookie }
}

/** Logs in. @returns the cookies of the session @throws as `logIn` does */
export async function enter(email: string, secret = password): Promise<string> {
	return cookiesOf(await logIn(form({ email, password: secret }), request()))
}

/** Whom a request with these cookies is from, looked up in the database. */
export async function viewerOfCookie(cookie: string): Promise<Viewer> {
	const { viewer } = await viewerFromRequest(request(cookie), { fresh: true })
	return viewer
}
