import { randomBytes } from 'node:crypto'
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { betterAuth } from 'better-auth'
import { APIError, createAuthMiddleware } from 'better-auth/api'
import { config } from '~/config.server.ts'
import { db } from '~/db/db.server.ts'
import { addJob } from '~/jobs/jobs.server.ts'
import { DomainError, TooMany } from '~/lib/errors.ts'
import { log } from '~/lib/log.server.ts'
import { remember } from '~/lib/remember.ts'
import { letter } from '~/mail/mail.server.ts'
import { claimUsername, welcomeMember } from './accounts.queries.server.ts'
import { isAllowedDomain } from './domains.ts'
import { clearAttempts, countAttempt } from './limits.server.ts'
import { checkPassword, hashPassword, longestPassword, shortestPassword, verifyPassword } from './password.server.ts'
import { candidates, usernameFrom } from './username.server.ts'

/** How long a link to set a new password works, in seconds. */
const resetSeconds = 600

/** Better Auth, made once for the process; nothing outside this feature knows it. */
export const auth = () => remember('auth', makeAuth)

function makeAuth() {
	const { publicUrl, secure, REQUIRE_EMAIL_VERIFICATION, NODE_ENV } = config()
	const prefix = secure ? '__Host-' : ''
	return betterAuth({
		baseURL: publicUrl,
		basePath: '/api/auth',
		secret: secret(),
		trustedOrigins: [publicUrl],
		telemetry: { enabled: false },
		logger: { level: 'error', log: (level, message) => log[level === 'error' ? 'error' : 'debug']({ from: 'accounts' }, message) },
		database: { db: db(), type: 'postgres', transaction: false },
		user: {
			modelName: 'users',
			fields: { emailVerified: 'email_verified', createdAt: 'created_at', updatedAt: 'updated_at' },
			additionalFields: {
				username: { type: 'string', input: false, required: false },
				role: { type: 'string', input: false, required: false },
			},
		},
		session: {
			modelName: 'sessions',
			fields: { userId: 'user_id', expiresAt: 'expires_at', ipAddress: 'ip_address', userAgent: 'user_agent', createdAt: 'created_at', updatedAt: 'updated_at' },
			expiresIn: 30 * 86_400,
			updateAge: 86_400,
			cookieCache: { enabled: true, maxAge: 300 },
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
		verification: { modelName: 'verifications', fields: { expiresAt: 'expires_at', createdAt: 'created_at', updatedAt: 'updated_at' } },
		emailAndPassword: {
			enabled: true,
			autoSignIn: false,
			minPasswordLength: shortestPassword,
			// Counted in UTF-16 units there, in characters by checkPassword: twice as many never refuses what we allow.
			maxPasswordLength: 2 * longestPassword,
			password: { hash: hashPassword, verify: ({ hash, password }) => verifyPassword(hash, password) },
			requireEmailVerification: REQUIRE_EMAIL_VERIFICATION,
			resetPasswordTokenExpiresIn: resetSeconds,
			revokeSessionsOnPasswordReset: true,
			sendResetPassword: ({ user, token }) => mailReset(user.email, token),
			onExistingUserSignUp: ({ user }) => mailKnownAddress(user.email),
		},
		emailVerification: {
			sendOnSignUp: REQUIRE_EMAIL_VERIFICATION,
			sendOnSignIn: REQUIRE_EMAIL_VERIFICATION,
			expiresIn: 86_400,
			sendVerificationEmail: ({ user, token }) => mailVerification(user.email, token),
		},
		// Its own limiter knows addresses only; ours below also knows accounts, for every way in.
		rateLimit: { enabled: false },
		hooks: { before: createAuthMiddleware(guard), after: createAuthMiddleware(forgive) },
		databaseHooks: { user: { create: { before: nameUser, after: greetUser } } },
		disabledPaths: ['/update-user', '/change-email', '/delete-user', '/sign-in/social', '/link-social'],
		advanced: {
			database: { generateId: 'serial' },
			ipAddress: { ipAddressHeaders: ['x-client-ip'] },
			// The prefix __Host- is stronger than Better Auth's __Secure-, so we name the cookies ourselves.
			useSecureCookies: false,
			defaultCookieAttributes: { secure, httpOnly: true, sameSite: 'lax', path: '/' },
			cookies: {
				session_token: { name: `${prefix}session` },
				session_data: { name: `${prefix}session_data` },
				dont_remember: { name: `${prefix}dont_remember` },
			},
			disableCSRFCheck: false,
		},
		onAPIError: { throw: NODE_ENV === 'test' ? false : undefined },
	})
}

type Context = Parameters<Parameters<typeof createAuthMiddleware>[0]>[0]

/** Runs before every way in, page or API: counts attempts and refuses weak passwords and foreign domains. */
async function guard(context: Context): Promise<void> {
	const body = (context.body ?? {}) as Record<string, unknown>
	const email = String(body.email ?? '').toLowerCase()
	const address = context.headers?.get('x-client-ip') ?? 'unknown'
	await asApiError(async () => {
		if (context.path === '/sign-in/email') await countAttempt('login', email, address)
		if (context.path === '/request-password-reset') await countAttempt('reset', email, address)
		if (context.path === '/reset-password') {
			await countAttempt('reset', `token:${address}`, address)
			checkPassword(String(body.newPassword ?? ''))
		}
		if (context.path === '/sign-up/email') {
			await countAttempt('register', email, address)
			checkPassword(String(body.password ?? ''))
			if (!isAllowedDomain(email, config().ALLOWED_EMAIL_DOMAINS)) {
				const allowed = config().ALLOWED_EMAIL_DOMAINS.join(', ')
				throw new APIError('FORBIDDEN', { code: 'EMAIL_DOMAIN_NOT_ALLOWED', message: `Only addresses of ${allowed} can register here.` })
			}
		}
	})
}

async function forgive(context: Context): Promise<void> {
	if (context.path !== '/sign-in/email' || !context.context.newSession) return
	await clearAttempts('login', context.context.newSession.user.email)
}

async function asApiError(work: () => Promise<void>): Promise<void> {
	try {
		await work()
	} catch (error) {
		if (!(error instanceof DomainError)) throw error
		if (error instanceof TooMany) throw new APIError('TOO_MANY_REQUESTS', { message: error.message }, { 'Retry-After': String(error.retryAfter) })
		throw new APIError('UNPROCESSABLE_ENTITY', { message: error.message })
	}
}

async function nameUser<User extends { email: string; name: string }>(user: User) {
	const email = user.email.toLowerCase()
	for (const username of candidates(usernameFrom(email))) {
		if (await claimUsername(username)) return { data: { ...user, name: user.name.trim().slice(0, 100), email, username, role: 'member' } }
	}
}

async function greetUser(user: { id: string; email: string }): Promise<void> {
	await welcomeMember(Number(user.id), user.email === config().ADMIN_EMAIL.toLowerCase())
}

async function mailReset(email: string, token: string): Promise<void> {
	const { publicUrl, SITE_NAME } = config()
	const url = `${publicUrl}/reset-password?token=${encodeURIComponent(token)}`
	const text = `Somebody, probably you, asked to set a new password for your account at ${SITE_NAME}.`
	await addJob('send-mail', letter(email, `Set a new password for ${SITE_NAME}`, text, { label: 'Set a new password', url }, 'The link works once and for 10 minutes. If it was not you, nothing has to be done.'))
}

async function mailVerification(email: string, token: string): Promise<void> {
	const { publicUrl, SITE_NAME } = config()
	const url = `${publicUrl}/verify-email?token=${encodeURIComponent(token)}`
	await addJob('send-mail', letter(email, `Confirm your address for ${SITE_NAME}`, `Welcome to ${SITE_NAME}. One step is left: show that this address is yours.`, { label: 'Confirm my address', url }, 'The link works for one day.'))
}

async function mailKnownAddress(email: string): Promise<void> {
	const { publicUrl, SITE_NAME } = config()
	const text = `Somebody, perhaps you, tried to register at ${SITE_NAME} with this address, which has an account already.`
	await addJob('send-mail', letter(email, `You already have an account at ${SITE_NAME}`, text, { label: 'Set a new password', url: `${publicUrl}/forgot-password` }, 'If you know your password, just log in. Nothing was changed.'))
}

/** AUTH_SECRET, or one that is made once and kept in the data directory; of two processes that start, one writes it. */
function secret(): string {
	const { AUTH_SECRET, dataDir } = config()
	if (AUTH_SECRET) return AUTH_SECRET
	const file = join(dataDir, 'auth-secret')
	const mine = `${file}.${process.pid}`
	writeFileSync(mine, randomBytes(32).toString('base64url'), { mode: 0o600 })
	try {
		linkSync(mine, file)
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
	} finally {
		rmSync(mine, { force: true })
	}
	return readFileSync(file, 'utf8').trim()
}
