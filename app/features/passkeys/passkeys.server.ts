import { config } from '~/config.server.ts'
import { lockMember } from '~/features/accounts/accounts.queries.server.ts'
import { getAccount } from '~/features/accounts/accounts.server.ts'
import { beginSession } from '~/features/accounts/login.server.ts'
import { requirePasswords } from '~/features/accounts/login-methods.server.ts'
import { isClosedDemoAccount } from '~/features/accounts/registration/demo-accounts.server.ts'
import { confirmSession } from '~/features/accounts/security/confirmation.server.ts'
import { requireSession } from '~/features/accounts/viewer.server.ts'
import { countUse } from '~/features/rate-limits/rate-limits.server.ts'
import { securingAdvice } from '~/features/sessions/passwords.server.ts'
import { recordSecurityEvent } from '~/features/sessions/security-log.server.ts'
import { requireStandingSession } from '~/features/sessions/sessions.server.ts'
import { Conflict, Invalid, NotAllowed, NotFound } from '~/lib/errors.ts'
import type { SignedIn, Viewer } from '~/lib/viewer.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { parseForm, readText } from '~/platform/http/form.server.ts'
import { addJob } from '~/platform/jobs/jobs.server.ts'
import { linkMail } from '~/platform/mail/mail.server.ts'
import { siteName } from '~/platform/settings/site-name.server.ts'
import {
	arePasskeysSupported,
	assertionOptions,
	attestationOptions,
	checkAssertion,
	checkAttestation,
	type PasskeyAssertion,
	requirePasskeySupport,
	spendChallenge,
} from './ceremonies.server.ts'
import {
	deletePasskey,
	deletePasskeys,
	insertPasskey,
	isStillStored,
	type LockedPasskey,
	listPasskeyRows,
	lockPasskey,
	recordPasskeyUse,
	renamePasskeyRow,
} from './passkeys.queries.server.ts'
import { assertionInput, attestationInput, passkeyNameInput } from './passkeys.schema.ts'
import { MAX_PASSKEYS, type PasskeyView, passkeysPath } from './passkeys.view.ts'

/*
 * A member's passkeys: adding, removing, logging in and confirming. Callers that add or remove one must call `requireConfirmed` first. A
 * passkey with user verification is two factors in one, so no code is asked for after it.
 */

const unaccepted = 'This passkey was not accepted. Try again, or use your password.'

/** The passkeys of a member. */
export async function listPasskeys(viewer: SignedIn): Promise<PasskeyView[]> {
	const rows = await listPasskeyRows(viewer.id)
	return rows.map(({ id, name, created_at, used_at }) => ({
		id,
		name,
		addedAt: created_at.toISOString(),
		usedAt: used_at?.toISOString() ?? null,
	}))
}

/** Whether a member can confirm their identity with a passkey. */
export async function hasPasskey(viewer: SignedIn): Promise<boolean> {
	return arePasskeysSupported() && (await listPasskeyRows(viewer.id)).length > 0
}

/**
 * Starts adding a passkey.
 * @returns its name, and the options for the browser
 * @throws Invalid with the field, Conflict if the member has too many, NotFound, NotAllowed, TooManyRequests
 */
export async function beginAdding(viewer: SignedIn, form: FormData) {
	requirePasskeys()
	const { name } = parseForm(passkeyNameInput, form)
	await countUse('toggles', viewer)
	const keys = await listPasskeyRows(viewer.id)
	requireRoomForPasskey(keys.length)
	return { name, options: await attestationOptions(viewer, keys) }
}

/** Stores a new passkey. @throws NotAllowed if it cannot be verified, Conflict, Invalid, NotFound, TooManyRequests */
export async function addPasskey(viewer: SignedIn, form: FormData): Promise<void> {
	requirePasskeys()
	await countUse('toggles', viewer)
	const { name } = parseForm(passkeyNameInput, form)
	const sent = readSent(attestationInput, form)
	const challenge = await spendChallenge(sent.response.clientDataJSON, 'add', viewer.id)
	const made = await checkAttestation(sent, challenge)
	if (!made) throw new NotAllowed('Your device did not create a passkey that this site accepts. Try again.')
	const { id: credentialId, publicKey, counter } = made
	const { email } = await getAccount(viewer)
	await db()
		.transaction()
		.execute(async (trx) => {
			await lockMember(trx, viewer.id)
			await requireStandingSession(trx)
			requireRoomForPasskey((await listPasskeyRows(viewer.id, trx)).length)
			const { transports } = sent.response
			if (!(await insertPasskey(trx, { userId: viewer.id, credentialId, publicKey, counter, transports, name })))
				throw new Conflict('This passkey is already stored.')
			await mailChange(trx, { id: viewer.id, email }, 'A passkey was added')
		})
	await recordSecurityEvent('passkey-added', { userId: viewer.id })
}

/** Renames a passkey. @throws Invalid with the field, NotFound, TooManyRequests */
export async function renamePasskey(viewer: SignedIn, form: FormData): Promise<void> {
	const { name } = parseForm(passkeyNameInput, form)
	await countUse('toggles', viewer)
	if (!(await renamePasskeyRow(viewer.id, idOf(form), name)))
		throw new NotFound('This passkey has already been removed.')
}

/** Removes a passkey. @throws NotFound, TooManyRequests */
export async function removePasskey(viewer: SignedIn, form: FormData): Promise<void> {
	await countUse('toggles', viewer)
	const { email } = await getAccount(viewer)
	await db()
		.transaction()
		.execute(async (trx) => {
			if ((await deletePasskey(trx, viewer.id, idOf(form))) === undefined)
				throw new NotFound('This passkey has already been removed.')
			await mailChange(trx, { id: viewer.id, email }, 'A passkey was removed')
		})
	await recordSecurityEvent('passkey-removed', { userId: viewer.id })
}

/** Removes all passkeys of a member who lost their device, in the transaction of the admin. @throws Conflict if there is none */
export async function resetPasskeys(trx: Executor, member: { id: number; email: string }): Promise<void> {
	if ((await deletePasskeys(trx, member.id)) === 0) throw new Conflict('This account has no passkeys.')
	await mailChange(trx, member, 'An admin removed all passkeys')
}

/** Starts a login. @returns the options for the browser @throws NotFound, NotAllowed where passwords are refused too, TooManyRequests */
export async function beginLogin(viewer: Viewer, ip: string) {
	requirePasskeys()
	await countUse('outsideLogins', viewer, ip)
	return assertionOptions('login', null)
}

/**
 * Logs in with a passkey. Suspended members can log in and read, as with a password.
 * @returns the cookies of the session, and whether the member has asked for deletion of the account
 * @throws NotAllowed, Invalid, NotFound, TooManyRequests
 */
export async function logInByPasskey(
	form: FormData,
	request: Request,
	{ viewer, ip }: { viewer: Viewer; ip: string },
): Promise<{ headers: Headers; isLeaving: boolean }> {
	requirePasskeys()
	await countUse('outsideLogins', viewer, ip)
	const sent = readSent(assertionInput, form)
	const owner = await acceptSignature(
		sent,
		await spendChallenge(sent.response.clientDataJSON, 'login', null),
		(key) => {
			// The same message as for an invalid passkey, as the password login does.
			if (isClosedDemoAccount(key.email)) throw new NotAllowed(unaccepted)
			if (config().REQUIRE_EMAIL_VERIFICATION && !key.email_verified)
				throw new NotAllowed('The address of this account is not confirmed yet. Check your email for the link.')
		},
	)
	const basis = { isStillValid: () => isStillStored(owner.id) }
	return { headers: await beginSession(owner.user_id, request, basis), isLeaving: owner.is_leaving }
}

/** Starts “Confirm it is you”. @throws Conflict without a passkey, NotFound, TooManyRequests */
export async function beginConfirming(viewer: SignedIn) {
	requirePasskeySupport()
	await countUse('toggles', viewer)
	const keys = await listPasskeyRows(viewer.id)
	if (keys.length === 0) throw new Conflict('You have no passkey. Confirm it by your password.')
	return assertionOptions('confirm', viewer.id, keys)
}

/** Confirms the session of this request for ten minutes, with a passkey of its member. @throws NotAllowed, Invalid, NotFound, TooManyRequests */
export async function confirmByPasskey(viewer: SignedIn, form: FormData, request: Request): Promise<void> {
	requirePasskeySupport()
	await countUse('toggles', viewer)
	const sessionId = await requireSession(viewer, request)
	const sent = readSent(assertionInput, form)
	await acceptSignature(sent, await spendChallenge(sent.response.clientDataJSON, 'confirm', viewer.id), (key) => {
		if (key.user_id !== viewer.id) throw new NotAllowed(unaccepted)
	})
	await confirmSession(viewer, sessionId)
}

/** Verifies a signature and updates the counter, while the passkey is locked. @param check further conditions on the owner */
async function acceptSignature(
	sent: PasskeyAssertion,
	challenge: string,
	check: (key: LockedPasskey) => void,
): Promise<LockedPasskey> {
	let userId: number | null = null
	const used = await db()
		.transaction()
		.execute(async (trx) => {
			const key = await lockPasskey(trx, sent.id)
			userId = key?.user_id ?? null
			const counter = key ? await checkAssertion(sent, challenge, key) : null
			if (!key || counter === null) return null
			check(key)
			await recordPasskeyUse(trx, key.id, counter)
			return key
		})
	if (used) return used
	await recordSecurityEvent('passkey-failed', { userId })
	throw new NotAllowed(unaccepted)
}

/** Passkeys do not log in where members have to use the campus login. */
function requirePasskeys(): void {
	requirePasskeySupport()
	requirePasswords()
}

function requireRoomForPasskey(count: number): void {
	if (count >= MAX_PASSKEYS) throw new Conflict(`You can have ${MAX_PASSKEYS} passkeys. Remove one first.`)
}

function readSent<Output>(
	schema: { safeParse: (value: unknown) => { success: true; data: Output } | { success: false } },
	form: FormData,
): Output {
	const parsed = schema.safeParse(parseJson(readText(form, 'response')))
	if (!parsed.success) throw new Invalid('Your browser sent no passkey. Try again.')
	return parsed.data
}

function parseJson(text: string): unknown {
	try {
		return JSON.parse(text)
	} catch {
		return null
	}
}

/** Parses an id; an invalid one matches nothing. */
function idOf(form: FormData): number {
	const id = Number(form.get('id'))
	return Number.isInteger(id) && id > 0 && id < 2 ** 31 ? id : 0
}

/** Mails a member about a change. @param what one clause, also used as the subject */
async function mailChange(trx: Executor, { id, email }: { id: number; email: string }, what: string): Promise<void> {
	const { publicUrl } = config()
	const link = { label: 'See your passkeys', url: `${publicUrl}${passkeysPath}` }
	const closing = `If this was not you, remove each passkey there that is not yours, then ${await securingAdvice(id, trx)}, and ask an admin for help.`
	const text = `${what} for your ${siteName()} account.`
	await addJob('send-mail', linkMail(email, `${what} at ${siteName()}`, text, link, closing), trx)
}
