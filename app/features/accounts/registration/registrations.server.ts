import { config } from '~/config.server.ts'
import { clearAddressProblems } from '~/features/bounces/bounces.server.ts'
import { countAttempt } from '~/features/rate-limits/rate-limits.server.ts'
import { deviceTokens, findKnownDevice } from '~/features/sessions/devices.server.ts'
import { recordSecurityEvent } from '~/features/sessions/security-log.server.ts'
import { insertDevice } from '~/features/sessions/sessions.queries.server.ts'
import { announceAccountChange, announceEndedSessions } from '~/features/sessions/sessions.server.ts'
import { Conflict, Invalid } from '~/lib/errors.ts'
import { networkOf } from '~/lib/networks.server.ts'
import { hashToken } from '~/lib/secrets.server.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { announce } from '~/platform/realtime/io.server.ts'
import {
	claimUsername,
	confirmMember,
	findAccountByEmail,
	insertAccount,
	removeCredentials,
} from '../accounts.queries.server.ts'
import { allowsPasswords } from '../login-methods.server.ts'
import { requireHashCapacity, verifyPassword } from '../security/credentials.server.ts'
import { queueAccountMail } from './account-mails.server.ts'
import { logPromotion } from './admin.server.ts'
import { usernamesFor } from './names.server.ts'
import {
	copyRegistrationInvite,
	deleteEmailLink,
	deleteRegistration,
	type EmailLink,
	findEmailLink,
	markEmailLinkUsed,
	promoteConfirmed,
} from './registrations.queries.server.ts'

declare module '~/platform/realtime/events.ts' {
	interface ServerEvents {
		/** A new member is in the community list. */
		'member:joined': (event: { username: string }) => void
	}
}

const oldLink = 'This link has expired, or a newer one was sent to you. Log in or register again to get a new link.'
const linkIsOver = 'A link works for 10 minutes after it was sent. Have a new one sent to you.'
const wrongPassword = 'This is not the password you chose for this account.'

/** What a link would confirm, for its page. */
export interface Confirmation {
	/** `used`: the address is already confirmed. `over`: the link has expired, and its page offers another one. */
	state: 'open' | 'used' | 'over'
	/** Empty for an expired link, so that whoever finds an old one learns nothing. */
	email: string
	/** The name of the account, so that its owner recognizes it. */
	name: string
	/** The link was opened in another browser than the one that registered: the password proves that it is the same person. */
	needsPassword: boolean
}

/**
 * What a link would confirm; changes nothing, as mail scanners follow links too.
 * @throws Invalid when the link is no longer valid
 */
export async function findConfirmation(token: string, headers: Headers): Promise<Confirmation> {
	const link = await findEmailLink(db(), hashToken(token))
	if (!link || (!link.used_at && !link.password_hash)) throw new Invalid(oldLink)
	const { email, name, used_at, is_over } = link
	if (!used_at && is_over) return { state: 'over', email: '', name: '', needsPassword: false }
	const needsPassword = used_at === null && !(await isOwnBrowser(link, headers))
	return { state: used_at ? 'used' : 'open', email, name, needsPassword }
}

/**
 * Confirms an address by the token of a mail, once. A registration becomes an account. The mail proves the address; the browser or
 * the password proves that whoever reads the mail chose the password, so that nobody completes a stranger's registration.
 * @param password required in another browser than the one that registered
 * @returns the address, and whether it was confirmed before
 * @throws Invalid when the link is no longer valid or the password is wrong, TooManyRequests
 */
export async function confirmAddress(
	{ token, password }: { token: string; password: string },
	request: Request,
): Promise<{ email: string; again: boolean }> {
	const { headers } = request
	const link = await findEmailLink(db(), hashToken(token))
	if (link?.password_hash && !link.used_at) {
		if (link.is_over) throw new Invalid(linkIsOver)
		await requireOwner(link, { token, password }, headers)
	}
	const { email, userId, made, again } = await db()
		.transaction()
		.execute(async (trx) => {
			const locked = await findEmailLink(trx, hashToken(token), { lock: true })
			if (locked?.used_at) return { email: locked.email, userId: null, made: null, again: true }
			// A new registration while the page was open would change the password that was checked above.
			if (!link || !locked?.password_hash || locked.password_hash !== link.password_hash) throw new Invalid(oldLink)
			if (locked.is_over) throw new Invalid(linkIsOver)
			await markEmailLinkUsed(trx, hashToken(token))
			const made = locked.user_id === null ? await completeRegistration(trx, locked, headers) : null
			if (locked.user_id !== null) {
				await confirmMember(locked.user_id, trx)
				await clearAddressProblems(trx, locked.user_id, locked.email)
			}
			return { email: locked.email, userId: made?.id ?? locked.user_id, made, again: false }
		})
	if (made) await announceNewAccount(made)
	if (!again) await recordSecurityEvent('verify', { userId })
	if (!again && isAdminEmail(email)) await promoteNamedAdmin(email)
	return { email, again }
}

/**
 * Mails another link in place of an earlier one, to the same address. The answer is the same whatever the link was.
 * @throws TooManyRequests
 */
export async function resendLink(token: string, { headers }: Request): Promise<void> {
	await countAttempt([['forgot-address', networkOf(headers.get('x-client-ip') ?? 'unknown')]])
	const link = await findEmailLink(db(), hashToken(token))
	await queueAccountMail(link ? { kind: 'confirm', email: link.email } : { kind: 'none', email: '' })
}

/**
 * The reader of the mail says that they did not register; repeating it has no further effect. A registration is deleted; an
 * existing account loses its credentials until the owner of the mailbox sets a new password.
 * @throws Invalid when the link is no longer valid
 */
export async function denyRegistration(token: string): Promise<void> {
	const closed = await db()
		.transaction()
		.execute(async (trx) => {
			const link = await findEmailLink(trx, hashToken(token), { lock: true })
			if (!link || link.used_at) throw new Invalid(oldLink)
			// The link stays, so that the second half of a double click finds it.
			if (link.user_id === null) {
				await deleteRegistration(trx, link.email, hashToken(token))
				return null
			}
			await deleteEmailLink(trx, hashToken(token))
			await removeCredentials(trx, link.user_id, allowsPasswords())
			return findAccountByEmail(link.email, trx)
		})
	if (closed) await announceEndedSessions(closed.id, closed.username)
}

/** Whether this address is ADMIN_EMAIL. */
export function isAdminEmail(email: string): boolean {
	const { ADMIN_EMAIL } = config()
	return ADMIN_EMAIL !== '' && email.toLowerCase() === ADMIN_EMAIL.toLowerCase()
}

/** Makes the member with ADMIN_EMAIL admin, once their address is confirmed. */
export async function promoteNamedAdmin(email: string): Promise<void> {
	const userId = await db()
		.transaction()
		.execute(async (trx) => {
			const promoted = await promoteConfirmed(trx, email)
			if (promoted !== null) await logPromotion(trx, promoted, 'as ADMIN_EMAIL is their address')
			return promoted
		})
	if (userId === null) return
	await announceAccountChange(userId)
	await recordSecurityEvent('role-changed', { userId, detail: { role: 'admin' } })
}

/** Whether the browser is the one that registered, or a known device of the member. */
async function isOwnBrowser(link: EmailLink, headers: Headers): Promise<boolean> {
	if (link.user_id !== null) return (await findKnownDevice(link.email, headers)) !== null
	return deviceTokens(headers)
		.map(hashToken)
		.includes(link.device_hash ?? '')
}

async function requireOwner(
	link: EmailLink,
	{ token, password }: { token: string; password: string },
	headers: Headers,
): Promise<void> {
	if (await isOwnBrowser(link, headers)) return
	const missing = 'Password field is required!'
	if (password === '') throw new Invalid(missing, { password: missing })
	requireHashCapacity()
	const address = networkOf(headers.get('x-client-ip') ?? 'unknown')
	await countAttempt([
		['confirm-link', token],
		['confirm-address', address],
	])
	if (await verifyPassword(link.password_hash ?? '', password)) return
	throw new Invalid(wrongPassword, { password: wrongPassword })
}

/** Creates the account of a registration. @throws Invalid when the address already has one */
async function completeRegistration(
	trx: Executor,
	link: EmailLink,
	headers: Headers,
): Promise<{ id: number; username: string }> {
	const { email, name, password_hash, device_hash, agreed_to: agreedTo } = link
	const made = await makeAccount(trx, email, { name, email, passwordHash: password_hash ?? '', agreedTo })
	if (!made) throw new Invalid(oldLink)
	if (device_hash && (await isOwnBrowser(link, headers))) await insertDevice(made.id, device_hash, trx)
	await copyRegistrationInvite(trx, made.id, email)
	await deleteRegistration(trx, email)
	return made
}

/**
 * Creates an account under the first free username.
 * @param wanted an address that usernames are derived from
 * @returns null when its address already has an account; the transaction must not be committed then
 */
async function makeAccount(
	trx: Executor,
	wanted: string,
	member: Omit<Parameters<typeof insertAccount>[1], 'username'>,
): Promise<{ id: number; username: string } | null> {
	for (const username of await usernamesFor(wanted, trx)) {
		if (!(await claimUsername(username, trx))) continue
		const id = await insertAccount(trx, { username, ...member })
		return id === null ? null : { id, username }
	}
	return null
}

/** Registers a member where addresses need no confirmation. If the address already has an account, its owner gets a mail. */
export async function registerUnconfirmed(
	member: Pick<Parameters<typeof insertAccount>[1], 'email' | 'name' | 'passwordHash' | 'agreedTo'>,
): Promise<void> {
	const { email } = member
	const made = await db()
		.transaction()
		.execute(async (trx) => {
			const account = await makeAccount(trx, email, { ...member, isVerified: false })
			if (!account) throw new Conflict('This address already has an account.')
			return account
		})
		.catch(async (error) => {
			// Of two at once, one may also fail on a unique key.
			if (await findAccountByEmail(email)) return null
			throw error
		})
	if (!made) return queueAccountMail({ kind: 'register', email })
	await announceNewAccount(made)
	// Registering makes nobody admin: the address has to be confirmed first.
	if (isAdminEmail(email)) await queueAccountMail({ kind: 'confirm', email })
}

/** A person authenticated by another site. */
export interface ExternalUser {
	/** As `nameInput` reads it. */
	name: string
	/** In lower case. */
	email: string
	/** Whether that site has confirmed the address. */
	isConfirmed: boolean
	/** Their username there; empty to derive one from the address. */
	username: string
}

/**
 * Creates an account for a person authenticated by another site, by the rules of every registration. In the caller's transaction;
 * call {@link announceNewAccount} after the commit.
 * @returns its id and username; null when the address already has an account
 */
export async function registerExternalUser(
	trx: Executor,
	{ name, email, isConfirmed, username: wanted }: ExternalUser,
): Promise<{ id: number; username: string } | null> {
	const member = { name, email, passwordHash: null, isVerified: isConfirmed }
	const made = await makeAccount(trx, wanted ? `${wanted}@` : email, member)
	if (made) await deleteRegistration(trx, email)
	return made
}

/** Announces a new account; call it after the commit. */
export async function announceNewAccount({ id, username }: { id: number; username: string }): Promise<void> {
	await recordSecurityEvent('register', { userId: id })
	announce('everybody', 'member:joined', { username })
}
