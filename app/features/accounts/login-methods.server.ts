import { APIError, createAuthEndpoint } from 'better-auth/api'
import { setSessionCookie } from 'better-auth/cookies'
import { z } from 'zod'
import { NotAllowed } from '~/lib/errors.ts'
import { remember } from '~/lib/remember.ts'
import type { Feature } from '~/platform/feature.ts'

declare module '~/platform/feature.ts' {
	interface Feature {
		/** Login methods besides the password, by a feature above this one. */
		loginMethods?: LoginMethods
	}
}

/** A button of the login page. */
export interface LoginButton {
	/** The last segment of the address that its form is sent to, `/login/NAME`. */
	name: string
	/** Its label. */
	label: string
}

/** Another site where a browser may still be logged in after a logout. */
export interface LoginElsewhere {
	/** Such as “your university”. */
	site: string
	/** Its address that ends the session there; null if unknown. */
	url: string | null
}

export interface LoginMethods {
	/** The buttons that the login page shows now. */
	buttons: () => LoginButton[]
	/** The label of the only button, where passwords are disabled; null where they are not. */
	onlyWay?: () => string | null
	/**
	 * Receives the `loginData` of `logInAs` once the session begins, possibly after a second step. The session's cookie has not been sent
	 * yet: an error ends the session.
	 */
	onSessionBegun?: (sessionId: number, loginData: string) => Promise<void>
	/** What to tell the member once the session with this `loginData` has begun after a second step; null if a greeting will do. */
	noticeOf?: (loginData: string) => string | null
	/** Called for requests whose session was looked up in the database, every few minutes of its use. It never throws. */
	onSessionUsed?: (sessionId: number) => void
	/** The name of the login by which a session began, if the browser may stay logged in there when the session ends; else null. */
	outlives?: (sessionId: number) => Promise<string | null>
	/** Where the browser may still be logged in, by the name of the login; null for an unknown one. It never throws. */
	loginElsewhere?: (name: string) => Promise<LoginElsewhere | null>
	/** Called when a member used the site without a session, such as by an access token or a private feed. It never throws. */
	onMemberActive?: (userId: number) => void
}

const registry = remember<{ methods: LoginMethods[] }>('login-methods', () => ({ methods: [] }))

/** Registers the login methods of all features. */
export function registerLoginMethods(features: readonly Feature[]): void {
	registry.methods = features.flatMap(({ loginMethods }) => loginMethods ?? [])
}

/** What the login page offers: the buttons, and whether passwords are allowed. */
export function loginMethods(): { buttons: LoginButton[]; hasPasswords: boolean } {
	return { buttons: registry.methods.flatMap(({ buttons }) => buttons()), hasPasswords: allowsPasswords() }
}

/** Whether people may register and log in with a password. */
export function allowsPasswords(): boolean {
	return onlyWay() === null
}

/** The page where a member logs in with a password. If passwords are disabled, only members who have left the university do. */
export const passwordLoginPath = () => (allowsPasswords() ? '/login' : '/login?left')

/** Requires that people may register and log in with a password. @throws NotAllowed where they may not */
export function requirePasswords(): void {
	const label = onlyWay()
	if (label !== null) throw new NotAllowed(`Passwords are switched off on this site. Use “${label}” on the login page.`)
}

/** Notifies the features that a session is in use. */
export function notifySessionUsed(sessionId: number): void {
	for (const { onSessionUsed } of registry.methods) onSessionUsed?.(sessionId)
}

/** The name of the login at which a browser may stay logged in when this session ends; null for none. */
export async function loginThatOutlives(sessionId: number): Promise<string | null> {
	const names = await Promise.all(registry.methods.map(({ outlives }) => outlives?.(sessionId)))
	return names.find(Boolean) ?? null
}

/** Where a browser may still be logged in. @param name of {@link loginThatOutlives}, as an address has it */
export async function findLoginElsewhere(name: string): Promise<LoginElsewhere | null> {
	const found = await Promise.all(registry.methods.map(({ loginElsewhere }) => loginElsewhere?.(name)))
	return found.find(Boolean) ?? null
}

/** Notifies the features that a member used the site without a session. */
export function notifyMemberActive(userId: number): void {
	for (const { onMemberActive } of registry.methods) onMemberActive?.(userId)
}

/**
 * Passes the `loginData` of a login to the features when its session begins.
 * @param end ends the session, if they throw
 */
export async function notifySessionBegun(
	session: { id: string; token: string },
	loginData: string | null,
	end: (token: string) => Promise<unknown>,
): Promise<void> {
	if (loginData === null) return
	try {
		for (const { onSessionBegun } of registry.methods) await onSessionBegun?.(Number(session.id), loginData)
	} catch (error) {
		await end(session.token)
		throw error
	}
}

/** The notice of the features about a login that has just begun; null if there is none. @param loginData as of `logInAs` */
export function noticeOfLogin(loginData: string | null): string | null {
	return registry.methods.map(({ noticeOf }) => loginData && noticeOf?.(loginData)).find(Boolean) ?? null
}

function onlyWay(): string | null {
	return registry.methods.map((method) => method.onlyWay?.()).find(Boolean) ?? null
}

/**
 * Begins a session for a member who was authenticated elsewhere. It cannot be called by HTTP: `auth-handler.server.ts` passes on a few
 * paths only, and this is none of them.
 */
export const externalLogin = {
	id: 'external-login',
	endpoints: {
		logInAs: createAuthEndpoint(
			'/log-in-as',
			{
				method: 'POST',
				requireHeaders: true,
				body: z.object({ userId: z.number(), loginData: z.string().nullable() }),
				metadata: { SERVER_ONLY: true },
			},
			async (context) => {
				const { internalAdapter } = context.context
				const user = await internalAdapter.findUserById(String(context.body.userId))
				const session = user && (await internalAdapter.createSession(user.id))
				if (!session) throw new APIError('UNAUTHORIZED', { message: 'There is no such account any more.' })
				await notifySessionBegun(session, context.body.loginData, internalAdapter.deleteSession)
				await setSessionCookie(context, { session, user })
				return context.json({ status: true })
			},
		),
	},
} as const
