import { APIError, type createAuthMiddleware } from 'better-auth/api'
import { config } from '~/config.server.ts'
import { Invalid, TooMany } from '~/lib/errors.ts'
import { parseInput } from '~/lib/parse.server.ts'
import { findMember, leaveExpiredVerification, makeAdmin } from './accounts.queries.server.ts'
import { isEmail, nameInput } from './accounts.schema.ts'
import { isAllowedDomain } from './domains.ts'
import { refuseImpersonation } from './impersonation.server.ts'
import { mailNobody } from './letters.server.ts'
import { countAttempt, forgiveAttempts } from './limits.server.ts'
import { passwordProblem } from './password.server.ts'

type Context = Parameters<Parameters<typeof createAuthMiddleware>[0]>[0]

/** What an attempt says of itself, read without trust: Better Auth checks the shape of the body only after this. */
interface Attempt {
	context: Context
	email: string
	address: string
	body: Record<string, unknown>
}

const checks: Record<string, (attempt: Attempt) => Promise<unknown>> = {
	'/sign-in/email': checkLogin,
	'/sign-up/email': checkRegistration,
	'/request-password-reset': checkForgotten,
	'/reset-password': checkReset,
	'/change-password': async ({ body }) => refuseWeak(body.newPassword),
}

/**
 * Runs before every way in, page or API: counts attempts, and refuses weak passwords and foreign domains.
 * @returns the answer, where Better Auth is not asked at all
 * @throws APIError 403, 422, or 429 with Retry-After
 */
export async function guard(context: Context): Promise<unknown> {
	const check = checks[context.path]
	if (!check) return
	const body = (context.body ?? {}) as Record<string, unknown>
	const email = typeof body.email === 'string' ? body.email.toLowerCase() : ''
	try {
		return await check({ context, email, address: addressOf(context), body })
	} catch (error) {
		if (error instanceof TooMany) {
			const headers = { 'Retry-After': String(error.retryAfter) }
			throw new APIError('TOO_MANY_REQUESTS', { code: 'TOO_MANY_TRIES', message: error.message }, headers)
		}
		if (error instanceof Invalid)
			throw new APIError('UNPROCESSABLE_ENTITY', { code: 'INVALID_NAME', message: error.message })
		throw error
	}
}

/** Runs after every way in: a login that succeeds clears what was counted, and a registration tells nothing but that it came. */
export async function conclude(context: Context): Promise<unknown> {
	const { newSession, returned } = context.context
	if (context.path === '/sign-in/email' && newSession)
		await forgiveAttempts('login', newSession.user.email, addressOf(context))
	if (context.path !== '/sign-up/email') return
	const refusal = returned instanceof APIError ? returned : null
	if (!refusal) return context.json({ status: true })
	// A whole response: with a body alone Better Auth would keep the status of the refusal.
	if (await lostRace(refusal, context)) return Response.json({ status: true })
}

async function checkLogin({ email, address }: Attempt): Promise<void> {
	await countAttempt('login', email, address)
	if (email && email === config().ADMIN_EMAIL.toLowerCase()) await makeAdmin(email)
}

/** What the typist can mend is said before it is counted. */
async function checkRegistration({ email, address, body }: Attempt): Promise<void> {
	const { name } = parseInput(nameInput, body)
	// Whom the settings name admin is staff, by whatever name.
	if (email !== config().ADMIN_EMAIL.toLowerCase()) await refuseImpersonation(name, 'name')
	refuseWeak(body.password)
	const domains = config().ALLOWED_EMAIL_DOMAINS
	if (!isAllowedDomain(email, domains)) {
		const message = `Only addresses of ${domains.join(', ')} can register here.`
		throw new APIError('FORBIDDEN', { code: 'EMAIL_DOMAIN_NOT_ALLOWED', message })
	}
	await countAttempt('register', email, address)
}

/** An address that nobody has, or that stands for an imported author, is answered here, after the same work. */
async function checkForgotten({ context, email, address }: Attempt): Promise<unknown> {
	if (!isEmail(email)) return
	await countAttempt('forgot', email, address)
	if (await findMember(email)) return
	await leaveExpiredVerification()
	await mailNobody()
	return context.json({
		status: true,
		message: 'If this email exists in our system, check your email for the reset link',
	})
}

async function checkReset({ context, address, body }: Attempt): Promise<void> {
	refuseWeak(body.newPassword)
	await countAttempt('reset', String(body.token ?? context.query?.token ?? ''), address)
}

function refuseWeak(password: unknown): void {
	const problem = passwordProblem(typeof password === 'string' ? password : '')
	if (problem) throw new APIError('UNPROCESSABLE_ENTITY', problem)
}

/** Of two registrations with one address at the same moment one fails on the unique key; that one learns no more than others. */
async function lostRace(refusal: APIError, context: Context): Promise<boolean> {
	if (refusal.body?.code !== 'FAILED_TO_CREATE_USER') return false
	return (await findMember(String(context.body?.email).toLowerCase())) !== null
}

function addressOf(context: Context): string {
	return context.headers?.get('x-client-ip') ?? 'unknown'
}
