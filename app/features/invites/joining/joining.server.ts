import { config } from '~/config.server.ts'
import { claimUsername, findAccountByEmail, insertAccount } from '~/features/accounts/accounts.queries.server.ts'
import { allowsPasswords, requirePasswords } from '~/features/accounts/login-methods.server.ts'
import { queueAccountMail } from '~/features/accounts/registration/account-mails.server.ts'
import { isAllowedDomain, requireNoImpersonation, usernamesFor } from '~/features/accounts/registration/names.server.ts'
import {
	deleteRegistration,
	replaceRegistration,
} from '~/features/accounts/registration/registrations.queries.server.ts'
import { isAdminEmail, promoteNamedAdmin } from '~/features/accounts/registration/registrations.server.ts'
import {
	registrationSettings,
	requireEmptyHoneypot,
	requireInvitesEnabled,
} from '~/features/accounts/registration/rules.server.ts'
import { hashPassword, requireHashCapacity } from '~/features/accounts/security/credentials.server.ts'
import { passwordError } from '~/features/accounts/security/password-rules.server.ts'
import { requireAcceptedTerms } from '~/features/accounts/security/suspension.server.ts'
import { countAttempt } from '~/features/rate-limits/rate-limits.server.ts'
import { deviceCookieHeader, newDevice } from '~/features/sessions/devices.server.ts'
import { recordSecurityEvent } from '~/features/sessions/security-log.server.ts'
import { insertDevice } from '~/features/sessions/sessions.queries.server.ts'
import { Invalid } from '~/lib/errors.ts'
import { networkOf, wideNetworkOf } from '~/lib/networks.server.ts'
import { hashToken } from '~/lib/secrets.server.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { parseForm, readText } from '~/platform/http/form.server.ts'
import { announce } from '~/platform/realtime/io.server.ts'
import { joinInput } from '../invites.schema.ts'
import { findInvite, findInvitedAddress, writeMemberInvite, writeRegistrationInvite } from './invites.queries.server.ts'
import { inviteStateOf } from './invites.server.ts'

/*
 * Registration with an invitation, even if registration is closed to others. A link that was mailed to an address proves it, so the account
 * is created at once. A shared link proves nothing, so the address is confirmed as usual.
 */

const refusals = {
	'used up': 'This invitation has been used up. Ask the person who sent it for another one.',
	expired: 'This invitation has expired. Ask the person who sent it for another one.',
	revoked: 'This invitation was withdrawn. Ask the person who sent it for another one.',
}
const unknownInvitationMessage = 'This is not a valid invitation. Open the link again exactly as it was sent to you.'
const joined = 'Somebody has already joined with this invitation. Log in, or set a new password.'

/** An invitation, for the registration page. */
export interface InviteInfo {
	/** The address that it was mailed to; null for a shared link. */
	email: string | null
	cohort: string
	/** Whether they choose a password; otherwise they join by the login of the university. */
	hasPassword: boolean
	/** Allowed mail domains; empty if all are. */
	domains: readonly string[]
}

/** Finds an invitation. Changes nothing. @throws Invalid if it is no longer valid, NotAllowed if nobody may register with it */
export async function requireInvite(token: string): Promise<InviteInfo> {
	requireInvitesEnabled()
	const { domains } = registrationSettings()
	const hash = hashToken(token)
	const invite = await findInvite(hash)
	const state = invite && inviteStateOf(invite)
	if (invite && state === 'open') {
		requirePasswords()
		return { email: null, cohort: invite.cohort, hasPassword: true, domains }
	}
	if (state && state !== 'open') throw new Invalid(refusals[state])
	const invited = await findInvitedAddress(hash)
	if (!invited) throw new Invalid(unknownInvitationMessage)
	if (invited.is_used) throw new Invalid(joined)
	if (invited.is_expired) throw new Invalid(refusals.expired)
	return { email: invited.email, cohort: invited.cohort, hasPassword: allowsPasswords(), domains }
}

/**
 * Registers an invited person. Of concurrent uses of the last use of a link, one succeeds.
 * @param form token, name, password and confirmPassword, and for a shared link email
 * @returns the address, whether it has to be confirmed before the first login, and the cookies
 * @throws Invalid, TooManyRequests, NotAllowed if nobody may register
 */
export async function registerInvited(
	form: FormData,
	{ headers: sent }: Request,
): Promise<{ email: string; confirm: boolean; headers: Headers }> {
	requirePasswords()
	requireInvitesEnabled()
	requireEmptyHoneypot(form)
	const token = readText(form, 'token')
	const { name, email: typed, password } = parseForm(joinInput, form)
	const invited = await findInvitedAddress(hashToken(token))
	const email = invited?.email ?? typed
	if (!invited && !(await findInvite(hashToken(token)))) throw new Invalid(unknownInvitationMessage)
	if (!email) throw new Invalid('Email is required!', { email: 'Email is required!' })
	await checkJoin({ name, email, password, domains: invited ? [] : registrationSettings().domains })
	const agreedTo = requireAcceptedTerms(form.get('terms'))
	const address = sent.get('x-client-ip') ?? 'unknown'
	await countAttempt([
		['register-account', email],
		['register-address', networkOf(address)],
		['register-network', wideNetworkOf(address)],
	])
	const device = newDevice(sent)
	const account = { email, name, passwordHash: await hashPassword(password), deviceHash: device.hash, agreedTo }
	const confirm = !invited && config().REQUIRE_EMAIL_VERIFICATION
	if (confirm) await keepRegistration(token, account)
	else await makeAccount(token, account, { isProven: invited !== undefined })
	const headers = new Headers()
	headers.append('Set-Cookie', deviceCookieHeader(device.cookie))
	return { email, confirm, headers }
}

async function checkJoin({
	name,
	email,
	password,
	domains,
}: {
	name: string
	email: string
	password: string
	domains: readonly string[]
}): Promise<void> {
	if (!isAdminEmail(email)) await requireNoImpersonation(name, 'name')
	const weak = passwordError(password, { email, name })
	if (weak) throw new Invalid(weak.message, { password: weak.message })
	if (!isAllowedDomain(email, domains)) {
		const message = `Only addresses of ${domains.join(', ')} can register here.`
		throw new Invalid(message, { email: message })
	}
	requireHashCapacity()
}

interface Joining {
	email: string
	name: string
	passwordHash: string
	deviceHash: string
	/** The accepted version of the terms. */
	agreedTo: number
}

/**
 * The registration takes one use of the link until the address is confirmed, for a day at most. The response does not reveal whether the
 * address has an account.
 */
async function keepRegistration(
	token: string,
	{ email, name, passwordHash, deviceHash, agreedTo }: Joining,
): Promise<void> {
	await db()
		.transaction()
		.execute(async (trx) => {
			// Registering again must not take a second use, nor a form that is sent twice at once: the second one waits here for the first.
			await findInvite(hashToken(token), trx, { lock: true })
			await deleteRegistration(trx, email)
			const invite = await requireOpen(trx, token)
			const registration = { email, name, password_hash: passwordHash, device_hash: deviceHash, agreed_to: agreedTo }
			await replaceRegistration(registration, trx)
			await writeRegistrationInvite(trx, email, invite.id)
		})
	await queueAccountMail({ kind: 'register', email })
}

/** @param isProven true if the link was mailed to the address; false if this site does not confirm addresses */
async function makeAccount(token: string, joining: Joining, { isProven }: { isProven: boolean }): Promise<void> {
	const made = await db()
		.transaction()
		.execute(async (trx) => {
			const origin = isProven ? await requireInvited(trx, token) : await requireOpen(trx, token)
			// Without confirmation, a registration inevitably reveals whether the address has an account (decision 35).
			if (await findAccountByEmail(joining.email, trx)) throw new Invalid(joined)
			const account = await insertMember(trx, joining, isProven)
			await writeMemberInvite(trx, account.id, {
				cohort: origin.cohort,
				...(typeof origin.id === 'number' ? { inviteId: origin.id } : { addressId: origin.id }),
			})
			return account
		})
	await recordSecurityEvent('register', { userId: made.id })
	if (isProven) await recordSecurityEvent('verify', { userId: made.id })
	if (isProven && isAdminEmail(joining.email)) await promoteNamedAdmin(joining.email)
	announce('everybody', 'member:joined', { username: made.username })
}

async function insertMember(
	trx: Executor,
	{ email, name, passwordHash, deviceHash, agreedTo }: Joining,
	isVerified: boolean,
): Promise<{ id: number; username: string }> {
	for (const username of await usernamesFor(email, trx)) {
		if (!(await claimUsername(username, trx))) continue
		const id = await insertAccount(trx, { username, name, email, passwordHash, isVerified, agreedTo })
		if (id === null) break
		await insertDevice(id, deviceHash, trx)
		return { id, username }
	}
	throw new Invalid(joined)
}

/** Finds a link with uses left, and locks it until the transaction ends. @throws Invalid */
async function requireOpen(trx: Executor, token: string) {
	const invite = await findInvite(hashToken(token), trx, { lock: true })
	if (!invite) throw new Invalid(unknownInvitationMessage)
	const state = inviteStateOf(invite)
	if (state !== 'open') throw new Invalid(refusals[state])
	return invite
}

/** Finds the address that a link was mailed to, and locks it until the transaction ends. @throws Invalid */
async function requireInvited(trx: Executor, token: string) {
	const invited = await findInvitedAddress(hashToken(token), trx, { lock: true })
	if (!invited) throw new Invalid(unknownInvitationMessage)
	if (invited.is_used) throw new Invalid(joined)
	if (invited.is_expired) throw new Invalid(refusals.expired)
	return invited
}
