import { type BetterAuthOptions, type BetterAuthPlugin, betterAuth } from 'better-auth'
import { APIError, createAuthEndpoint, createAuthMiddleware } from 'better-auth/api'
import { setSessionCookie } from 'better-auth/cookies'
import { z } from 'zod'
import { type Config, config } from '~/config.server.ts'
import { noteCompared, requireSessionBasis } from '~/features/sessions/late-logins.server.ts'
import {
	cookieVersionOf,
	endReplacedSessions,
	SESSION_ENDED,
	sessionTimes,
} from '~/features/sessions/sessions.server.ts'
import { log } from '~/lib/log.server.ts'
import { remember } from '~/lib/remember.ts'
import { siteFaultOf } from '~/lib/request-scope.server.ts'
import { db } from '~/platform/db/db.server.ts'
import { authSecret } from '~/platform/encryption.server.ts'
import { externalLogin } from './login-methods.server.ts'
import { hashPassword, verifyPassword } from './security/credentials.server.ts'
import { afterAttempt, beforeAttempt, startsSession } from './security/guard.server.ts'
import { requireSecondStep, secondStep } from './security/second-step.server.ts'

/** Our tables and columns for what Better Auth stores. */
const tables = {
	user: {
		modelName: 'users',
		fields: { emailVerified: 'email_verified', createdAt: 'created_at', updatedAt: 'updated_at' },
		additionalFields: {
			username: { type: 'string', input: false, required: false },
			role: { type: 'string', input: false, required: false },
			agreedTo: { type: 'number', fieldName: 'agreed_to', input: false, required: false, returned: false },
			secondFactor: { type: 'boolean', fieldName: 'second_factor', input: false, required: false },
		},
	},
	session: {
		modelName: 'sessions',
		fields: {
			userId: 'user_id',
			expiresAt: 'expires_at',
			ipAddress: 'ip_address',
			userAgent: 'user_agent',
			createdAt: 'created_at',
			updatedAt: 'updated_at',
		},
		expiresIn: sessionTimes.idle,
		updateAge: sessionTimes.extension,
		// The version is the member's: a signed cookie from before a logout or a change is rejected.
		cookieCache: { enabled: true, maxAge: sessionTimes.cookie, version: (_, { id }) => cookieVersionOf(Number(id)) },
	},
	account: {
		modelName: 'credentials',
		fields: {
			userId: 'user_id',
			accountId: 'account_id',
			providerId: 'provider_id',
			accessToken: 'access_token',
			refreshToken: 'refresh_token',
			idToken: 'id_token',
			accessTokenExpiresAt: 'access_token_expires_at',
			refreshTokenExpiresAt: 'refresh_token_expires_at',
			createdAt: 'created_at',
			updatedAt: 'updated_at',
		},
	},
	verification: {
		modelName: 'verifications',
		fields: { expiresAt: 'expires_at', createdAt: 'created_at', updatedAt: 'updated_at' },
		// So nobody can reset a password with access to the table, or a backup of it.
		storeIdentifier: 'hashed',
	},
} satisfies Partial<BetterAuthOptions>

/**
 * Gives a browser the cookies of its session after `renewOnlySession`. Better Auth would delete the session and begin another one, and
 * with it what belongs to this browser: its push subscription, the check whether a campus still knows the member, and that they have
 * just confirmed who they are. Only the server itself can call it.
 */
const sessionRenewal = {
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

/** The Better Auth instance of the process; only this feature knows it. */
export const auth = () => remember('auth', () => makeAuth())

/** Creates Better Auth for the open database. @param settings those of the process, unless a test passes its own */
export function makeAuth(settings: Config = config()) {
	const { publicUrl, secure, REQUIRE_EMAIL_VERIFICATION } = settings
	const prefix = secure ? '__Host-' : ''
	return betterAuth({
		baseURL: publicUrl,
		basePath: '/api/auth',
		secret: authSecret(settings),
		trustedOrigins: [publicUrl],
		telemetry: { enabled: false },
		// Our own spans cover a request; Better Auth's would read the environment for each statement.
		experimental: { instrumentation: { enabled: false } },
		logger: {
			level: 'error',
			log: (level, message, err) =>
				log[level === 'error' && !siteFaultOf(err) ? 'error' : 'debug']({ from: 'accounts', err }, message),
		},
		database: { db: db(), type: 'postgres', transaction: false },
		...tables,
		...passwordSettings(REQUIRE_EMAIL_VERIFICATION),
		// Without this, errors are written to the console, bypassing the logger above.
		onAPIError: { onError: report },
		// Its own limiter knows addresses only; ours in the guard knows accounts too, for every login method.
		rateLimit: { enabled: false },
		hooks: { before: createAuthMiddleware(beforeAttempt), after: createAuthMiddleware(afterRequest) },
		databaseHooks: { session: { create: { before: requireSecondStep } } },
		plugins: [secondStep, externalLogin, sessionRenewal],
		advanced: {
			database: { generateId: 'serial' },
			ipAddress: { ipAddressHeaders: ['x-client-ip'] },
			// The prefix __Host- is stricter than Better Auth's __Secure-, so we name the cookies ourselves.
			useSecureCookies: false,
			defaultCookieAttributes: { secure, httpOnly: true, sameSite: 'lax', path: '/' },
			cookies: {
				session_token: { name: `${prefix}session` },
				session_data: { name: `${prefix}session_data` },
				dont_remember: { name: `${prefix}dont_remember` },
			},
			// Explicit, because Better Auth disables the check in tests.
			disableOriginCheck: false,
			disableCSRFCheck: false,
		},
	})
}

function passwordSettings(confirm: boolean) {
	return {
		emailAndPassword: {
			enabled: true,
			autoSignIn: false,
			// The guard counts characters, Better Auth UTF-16 units: its bounds are wide enough never to refuse what ours allow.
			minPasswordLength: 1,
			maxPasswordLength: 1_024,
			password: { hash: hashPassword, verify: ({ hash, password }) => verifyPassword(noteCompared(hash), password) },
			// A second check: the guard has already refused unconfirmed addresses, and sends the mails.
			requireEmailVerification: confirm,
		},
	} satisfies Partial<BetterAuthOptions>
}

async function afterRequest(context: Parameters<typeof afterAttempt>[0]): Promise<unknown> {
	const { newSession, authCookies, secret } = context.context
	if (startsSession(context.path) && newSession) {
		const before = await context.getSignedCookie(authCookies.sessionToken.name, secret)
		await endReplacedSessions(before || null, await requireSessionBasis(newSession))
	}
	return afterAttempt(context)
}

/** Refusals are expected; unforeseen errors are logged. */
function report(error: unknown): void {
	if ((error instanceof APIError && error.statusCode < 500) || siteFaultOf(error)) return
	log.error({ from: 'accounts' }, error instanceof Error ? error.message : String(error))
}
