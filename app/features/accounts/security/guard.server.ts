import { APIError, type createAuthMiddleware } from 'better-auth/api'
import { config } from '~/config.server.ts'
import { recordMailArrival } from '~/features/bounces/bounces.server.ts'
import {
	type AttemptCounters,
	countAttempt,
	resetAttempts,
	takeBackAttempt,
} from '~/features/rate-limits/rate-limits.server.ts'
import {
	type DeviceCookie,
	deviceOf,
	findKnownDevice,
	newDevice,
	rememberDevice,
} from '~/features/sessions/devices.server.ts'
import { hasPasswordException, mayLogInAnyway } from '~/features/sessions/password-exceptions.server.ts'
import { setPasswordByLink } from '~/features/sessions/passwords.server.ts'
import { recordSecurityEvent } from '~/features/sessions/security-log.server.ts'
import { announceEndedSessions } from '~/features/sessions/sessions.server.ts'
import { Invalid, NotAllowed, TooManyRequests } from '~/lib/errors.ts'
import { networkOf, wideNetworkOf } from '~/lib/networks.server.ts'
import { hashToken } from '~/lib/secrets.server.ts'
import { parseInput } from '~/platform/http/form.server.ts'
import { findAccountByEmail, findMainEmail, findResetOwner, removeCredentials } from '../accounts.queries.server.ts'
import { isEmail, nameInput } from '../accounts.schema.ts'
import { allowsPasswords, requirePasswords } from '../login-methods.server.ts'
import { mailNewDevice, queueAccountMail } from '../registration/account-mails.server.ts'
import { isClosedDemoAccount } from '../registration/demo-accounts.server.ts'
import { isAllowedDomain, requireNoImpersonation } from '../registration/names.server.ts'
import { findUnconfirmed, replaceRegistration } from '../registration/registrations.queries.server.ts'
import { isAdminEmail, promoteNamedAdmin, registerUnconfirmed } from '../registration/registrations.server.ts'
import { countRegistration, registrationNotice, registrationSettings } from '../registration/rules.server.ts'
import { hashPassword, requireHashCapacity, verifyPassword } from './credentials.server.ts'
import { type PasswordOwner, passwordError } from './password-rules.server.ts'
import { requireAcceptedTerms } from './suspension.server.ts'

type Context = Parameters<Parameters<typeof createAuthMiddleware>[0]>[0]

/** An attempt's unvalidated input: Better Auth checks the shape of the body only after this. */
interface Attempt {
	context: Context
	email: string
	address: string
	body: Record<string, unknown>
}

/** What happens before, or in place of, each call of Better Auth that strangers may make. */
const guards: Record<string, (attempt: Attempt) => Promise<unknown>> = {
	'/sign-in/email': guardLogin,
	'/sign-up/email': guardRegistration,
	'/request-password-reset': queueResetMail,
	'/reset-password': resetByLink,
}

/** Paths that are closed where passwords are disabled. */
const byPassword = ['/sign-in/email', '/sign-up/email', '/request-password-reset', '/reset-password']

/**
 * Runs before every login and registration, by page or API: counts attempts, and rejects weak passwords and foreign domains.
 * @returns the response, where Better Auth is not called at all
 * @throws APIError 401, 403, 422, or 429 with Retry-After
 */
export async function beforeAttempt(context: Context): Promise<unknown> {
	const guard = guards[context.path]
	if (!guard) return
	const body = (context.body ?? {}) as Record<string, unknown>
	const email = typeof body.email === 'string' ? body.email.toLowerCase() : ''
	try {
		// If there are exceptions, everybody else gets the same answers as a stranger: nobody learns who has left the university.
		const isExcepted = guard !== guardRegistration && (await hasPasswordException())
		if (byPassword.includes(context.path) && !isExcepted) requirePasswords()
		return await guard({ context, email, address: addressOf(context), body })
	} catch (error) {
		if (error instanceof TooManyRequests) {
			const headers = { 'Retry-After': String(error.retryAfter) }
			throw new APIError('TOO_MANY_REQUESTS', { code: 'TOO_MANY_TRIES', message: error.message }, headers)
		}
		if (error instanceof NotAllowed) throw new APIError('FORBIDDEN', { code: 'NOT_ALLOWED', message: error.message })
		if (error instanceof Invalid)
			throw new APIError('UNPROCESSABLE_ENTITY', { code: 'INVALID_NAME', message: error.message })
		throw error
	}
}

/** Whether a call of this path begins a session. */
export function startsSession(path: string): boolean {
	return path === '/sign-in/email' || path === '/log-in-as'
}

/** Runs after every login: a successful one resets the counters. */
export async function afterAttempt(context: Context): Promise<unknown> {
	const { newSession, returned } = context.context
	if (context.path === '/log-in-as' && newSession)
		await greetDevice(context, { id: Number(newSession.user.id), email: newSession.user.email })
	if (context.path === '/sign-in/email') {
		if (newSession) await afterLogin(context, { id: Number(newSession.user.id), email: newSession.user.email })
		else if (returned instanceof APIError && returned.body?.code === 'SECOND_FACTOR_REQUIRED') return
		// The address is unknown or the password wrong; `refuseUnconfirmed` does the same work for others.
		else {
			if (config().REQUIRE_EMAIL_VERIFICATION) await queueAccountMail({ kind: 'none', email: '' })
			recordFailure(context.body?.email)
		}
	}
}

async function guardLogin({ context, email: typed, address, body }: Attempt): Promise<unknown> {
	requireHashCapacity()
	const email = await findMainEmail(typed)
	const device = await findKnownDevice(email, context.headers)
	await countAttempt(device ? [['login-device', device]] : countersOfUnknownDevice(email, address))
	if (config().REQUIRE_EMAIL_VERIFICATION) await refuseUnconfirmed(context, email, body.password)
	if (isAdminEmail(email)) await promoteNamedAdmin(email)
	// The same work and answer as for an unknown address.
	if (isClosedDemoAccount(email) || !(await mayUsePassword(email)))
		return { context: { body: { ...body, email: 'nobody@nobody.invalid' } } }
	if (email !== typed) return { context: { body: { ...body, email } } }
}

async function mayUsePassword(email: string): Promise<boolean> {
	return allowsPasswords() || mayLogInAnyway(email)
}

/** The counters of a login from an unknown device. */
function countersOfUnknownDevice(email: string, address: string): AttemptCounters {
	return [['login-account', email], ...addressCounters('login', address)]
}

function addressCounters(way: 'login' | 'register', address: string): AttemptCounters {
	return [
		[`${way}-address`, networkOf(address)],
		[`${way}-network`, wideNetworkOf(address)],
	]
}

/**
 * Rejects an unconfirmed address with the message and after the work of a wrong password. Otherwise a stranger could learn whether
 * an address is known, by registering it and logging in. With the right password, another link is mailed.
 */
async function refuseUnconfirmed(context: Context, email: string, password: unknown): Promise<void> {
	const { isMember, passwordHash } = await findUnconfirmed(email)
	// Better Auth looks up the member and their accounts; the same number of lookups is made here.
	const { internalAdapter } = context.context
	const missing = passwordHash ? 2 : isMember ? 0 : 1
	for (let look = 0; look < missing; look += 1) await internalAdapter.findUserByEmail(email, { includeAccounts: true })
	if (!passwordHash) return
	const isRight = typeof password === 'string' && (await verifyPassword(passwordHash, password))
	await queueAccountMail({ kind: isRight ? 'confirm' : 'none', email: isRight ? email : '' })
	recordFailure(email)
	// Exactly as Better Auth writes it, including the order of members.
	throw new APIError('UNAUTHORIZED', { message: 'Invalid email or password', code: 'INVALID_EMAIL_OR_PASSWORD' })
}

/** After a successful login, resets the counters and remembers the device. */
export async function afterLogin(context: Context, user: { id: number; email: string }): Promise<void> {
	const { headers } = context
	const address = addressOf(context)
	const device = await findKnownDevice(user.email, headers)
	// A login from a known device says nothing about strangers who guess, so their counter stays.
	await resetAttempts(device ? [['login-device', device]] : [['login-account', user.email]])
	if (!device) await takeBackAttempt(addressCounters('login', address))
	await greetDevice(context, user)
	if (isAdminEmail(user.email) && !(await findAccountByEmail(user.email))?.email_verified)
		await queueAccountMail({ kind: 'confirm', email: user.email })
}

/** Remembers the device of a login, and mails its owner about an unknown one. */
async function greetDevice(context: Context, user: { id: number; email: string }): Promise<void> {
	const { headers } = context
	const { cookie, isForeign } = await rememberDevice(user, headers)
	setDeviceCookie(context, cookie)
	await recordSecurityEvent('login', { userId: user.id })
	if (isForeign) {
		await recordSecurityEvent('new-device', { userId: user.id })
		await mailNewDevice(user.email, deviceOf(headers?.get('user-agent') ?? ''))
	}
}

/** Records a failed login. The response does not wait for it, as its duration would reveal who is a member. */
function recordFailure(email: unknown): void {
	const found = typeof email === 'string' ? findAccountByEmail(email.toLowerCase()) : Promise.resolve(null)
	void found.catch(() => null).then((member) => recordSecurityEvent('login-failed', { userId: member?.id ?? null }))
}

/**
 * Errors that the registering person can fix are reported before the attempt is counted. It registers in place of Better Auth,
 * which would store an account in several transactions, and half of one if the site ends meanwhile.
 */
async function guardRegistration({ context, email, address, body }: Attempt): Promise<unknown> {
	const notice = registrationNotice()
	if (notice) throw new APIError('FORBIDDEN', { code: 'REGISTRATION_CLOSED', message: notice })
	if (!isEmail(email))
		throw new APIError('BAD_REQUEST', { code: 'INVALID_EMAIL', message: 'Enter a valid email address.' })
	if (!config().REQUIRE_EMAIL_VERIFICATION) requireOwnFields(body)
	const { name } = parseInput(nameInput, body)
	const agreed_to = requireAcceptedTerms(body.terms)
	// The owner of ADMIN_EMAIL is staff, whatever their name.
	if (!isAdminEmail(email)) await requireNoImpersonation(name, 'name')
	requireStrongPassword(body.password, { email, name })
	const { domains } = registrationSettings()
	if (!isAllowedDomain(email, domains)) {
		const message = `Only addresses of ${domains.join(', ')} can register here.`
		throw new APIError('FORBIDDEN', { code: 'EMAIL_DOMAIN_NOT_ALLOWED', message })
	}
	requireHashCapacity()
	await countRegistration([['register-account', email], ...addressCounters('register', address)], address, body)
	const password_hash = await hashPassword(String(body.password))
	if (config().REQUIRE_EMAIL_VERIFICATION) {
		// No account is created yet, whether or not the address is known, so that neither the work nor its duration reveals that.
		const { hash, cookie } = newDevice(context.headers)
		await replaceRegistration({ email, name, password_hash, device_hash: hash, agreed_to })
		await queueAccountMail({ kind: 'register', email })
		setDeviceCookie(context, cookie)
	} else await registerUnconfirmed({ email, name, passwordHash: password_hash, agreedTo: agreed_to })
	return context.json({ status: true })
}

/** @throws APIError for a field that is not the member's to choose, as Better Auth words it */
function requireOwnFields(body: Record<string, unknown>): void {
	const field = ['username', 'role', 'agreedTo', 'secondFactor'].find((name) => name in body)
	if (field)
		throw new APIError('BAD_REQUEST', { code: 'FIELD_NOT_ALLOWED', message: `${field} is not allowed to be set` })
}

/** In place of Better Auth. The answer is always the same; a job looks up the address, and mails. */
async function queueResetMail({ context, email, address }: Attempt): Promise<unknown> {
	if (!isEmail(email)) return
	await countAttempt([['forgot-address', networkOf(address)]])
	const isKnownDevice = (await findKnownDevice(email, context.headers)) !== null
	await queueAccountMail({ kind: 'reset', email, isKnownDevice })
	return context.json({
		status: true,
		message: 'If this email exists in our system, check your email for the reset link',
	})
}

/** Sets a new password in place of Better Auth, see `setPasswordByLink`. */
async function resetByLink({ context, address, body }: Attempt): Promise<unknown> {
	const token = String(body.token ?? context.query?.token ?? '')
	const link = hashToken(`reset-password:${token}`)
	const owner = await findResetOwner(link)
	requireStrongPassword(body.newPassword, owner)
	requireHashCapacity()
	await countAttempt([
		['reset-link', token],
		['reset-address', networkOf(address)],
	])
	const mayUse = owner !== undefined && (await mayUsePassword(owner.email))
	const hash = mayUse && (await hashPassword(String(body.newPassword)))
	const done = hash && (await setPasswordByLink(link, hash, (trx, member) => removeCredentials(trx, member, true)))
	if (!owner || !done) throw new APIError('BAD_REQUEST', { code: 'INVALID_TOKEN', message: 'Invalid token' })
	const { id, email } = owner
	await Promise.all([
		recordMailArrival(id),
		resetAttempts([['login-account', email]]),
		isAdminEmail(email) && promoteNamedAdmin(email),
	])
	await announceEndedSessions(id)
	const { hasRemoved } = done
	await recordSecurityEvent('reset', { userId: id, detail: { removedCredentials: hasRemoved } })
	return context.json({ status: true, hasRemoved })
}

function requireStrongPassword(password: unknown, owner?: PasswordOwner): void {
	const problem = passwordError(typeof password === 'string' ? password : '', owner)
	if (problem) throw new APIError('UNPROCESSABLE_ENTITY', problem)
}

function setDeviceCookie(context: Context, { name, value, options }: DeviceCookie): void {
	context.setCookie(name, value, options)
}

function addressOf(context: Context): string {
	return context.headers?.get('x-client-ip') ?? 'unknown'
}
