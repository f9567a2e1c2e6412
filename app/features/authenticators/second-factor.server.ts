import { config } from '~/config.server.ts'
import { getAccount } from '~/features/accounts/accounts.server.ts'
import { beginSession } from '~/features/accounts/login.server.ts'
import { noticeOfLogin } from '~/features/accounts/login-methods.server.ts'
import { requireHashCapacity } from '~/features/accounts/security/credentials.server.ts'
import { findPendingLogin, isSecondFactorRequiredOfStaff } from '~/features/accounts/security/second-step.server.ts'
import { type AttemptCounters, countAttempt, resetAttempts } from '~/features/rate-limits/rate-limits.server.ts'
import { findKnownDevice } from '~/features/sessions/devices.server.ts'
import { securingAdvice } from '~/features/sessions/passwords.server.ts'
import { recordSecurityEvent } from '~/features/sessions/security-log.server.ts'
import { deleteLoginChallenge, takeLoginChallenge } from '~/features/sessions/sessions.queries.server.ts'
import { announceAccountChange, requireStandingSession } from '~/features/sessions/sessions.server.ts'
import type { SecurityEventKind } from '~/features/sessions/sessions.view.ts'
import { Conflict, Invalid, NotAllowed } from '~/lib/errors.ts'
import { hashToken, newToken } from '~/lib/secrets.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { decryptSecret, encryptSecret } from '~/platform/encryption.server.ts'
import { parseForm } from '~/platform/http/form.server.ts'
import { addJob } from '~/platform/jobs/jobs.server.ts'
import { linkMail } from '~/platform/mail/mail.server.ts'
import { siteName } from '~/platform/settings/site-name.server.ts'
import {
	consumeRecoveryCode,
	deleteSecondFactor,
	findEmailById,
	findSecondFactor,
	insertTotpSecret,
	lockTotpSecret,
	replaceRecoveryCodes,
} from './authenticators.queries.server.ts'
import { codeInput } from './authenticators.schema.ts'
import type { SecondFactorView } from './authenticators.view.ts'
import {
	consumeTotpCode,
	findTypedRecoveryCode,
	looksLikeTotp,
	makeRecoveryCodes,
	newTotpSecret,
	totpPurpose,
	totpUri,
} from './codes.server.ts'

/*
 * The authenticator app of a member: setup, the second step of a login, recovery codes. Callers that change it must call `requireConfirmed`
 * first. Each change is recorded in the security log, and mailed to the member.
 */

/** The member's second factor. The secret is included only during the setup. */
export async function getSecondFactor(viewer: SignedIn): Promise<SecondFactorView> {
	const [{ secret, isOn, codes_left }, { email }] = await Promise.all([findSecondFactor(viewer.id), getAccount(viewer)])
	const plain = secret !== null && !isOn ? decryptSecret(totpPurpose(viewer.id), secret) : null
	return {
		isOn,
		codesLeft: codes_left,
		isRequired: isSecondFactorRequiredOfStaff(),
		setup: plain ? { secret: plain, address: totpUri(plain, email) } : null,
	}
}

/** Starts the setup with a new secret, which is not valid yet. @throws Conflict if an app is in use */
export async function beginTotpSetup(viewer: SignedIn): Promise<void> {
	if (await insertTotpSecret(viewer.id, encryptSecret(totpPurpose(viewer.id), newTotpSecret()))) return
	throw new Conflict('An authenticator app is set up already. Turn it off first.')
}

/** Activates the app by its first code. @returns ten recovery codes, which are shown once @throws Invalid with the field, TooManyRequests */
export async function finishTotpSetup(viewer: SignedIn, form: FormData): Promise<string[]> {
	const { code } = parseForm(codeInput, form)
	const counted = [['confirm-identity', String(viewer.id)]] as const
	requireHashCapacity()
	await countAttempt(counted)
	const codes = await makeRecoveryCodes()
	await db()
		.transaction()
		.execute(async (trx) => {
			const outcome = await consumeTotpCode(trx, viewer.id, code)
			if (outcome === 'right' || outcome === 'used') throw new Conflict('The authenticator app is on already.')
			if (outcome === 'wrong')
				refuseCode('That code is not right. Check your phone’s clock, and type the current code.')
			await requireStandingSession(trx)
			await replaceRecoveryCodes(trx, viewer.id, codes.stored)
			await mailChange(trx, viewer, 'An authenticator app was set up')
		})
	await resetAttempts(counted)
	await afterChange(viewer, 'second-factor-on')
	return codes.shown
}

/** Replaces the recovery codes. @returns ten codes, which are shown once */
export async function renewRecoveryCodes(viewer: SignedIn): Promise<string[]> {
	requireHashCapacity()
	const codes = await makeRecoveryCodes()
	await db()
		.transaction()
		.execute(async (trx) => {
			if (!(await lockTotpSecret(trx, viewer.id))?.isOn) throw new Conflict('Set up an authenticator app first.')
			await requireStandingSession(trx)
			await replaceRecoveryCodes(trx, viewer.id, codes.stored)
			await mailChange(trx, viewer, 'New recovery codes were made')
		})
	await recordSecurityEvent('recovery-codes', { userId: viewer.id })
	return codes.shown
}

/** Turns the app off, or cancels the setup. */
export async function turnOffSecondFactor(viewer: SignedIn): Promise<void> {
	const wasOn = await db()
		.transaction()
		.execute(async (trx) => {
			const isGone = await deleteSecondFactor(trx, viewer.id)
			await requireStandingSession(trx)
			if (isGone) await mailChange(trx, viewer, 'The authenticator app was turned off')
			return isGone
		})
	if (wasOn) await afterChange(viewer, 'second-factor-off')
}

/** Removes the second factor of a member who lost it, in the transaction of the admin. @throws Conflict if there is none */
export async function resetSecondFactor(trx: Executor, member: { id: number }): Promise<void> {
	if (!(await deleteSecondFactor(trx, member.id))) throw new Conflict('This account has no second factor.')
	await mailChange(trx, member, 'An admin turned your authenticator app off')
}

const tooLateMessage = 'This login took too long. Start again.'

/** Whether the right password was given in this browser and the code is still missing. */
export async function hasPendingLogin(request: Request): Promise<boolean> {
	return (await findPendingLogin(request)) !== null
}

/**
 * The second step of a login: a TOTP code or a recovery code. Attempts are counted per account; those of a known device separately, so that
 * a stranger who has the password cannot lock the member out.
 * @returns the cookies of the session, whether the member has asked for deletion of the account, and a notice instead of a greeting
 * @throws Invalid with the field, TooManyRequests; NotAllowed if the login has to start again
 */
export async function finishSecondStep(
	form: FormData,
	request: Request,
): Promise<{ headers: Headers; isLeaving: boolean; notice: string | null }> {
	const { code } = parseForm(codeInput, form)
	const waiting = await findPendingLogin(request)
	if (!waiting) throw new NotAllowed(tooLateMessage)
	const device = await findKnownDevice(waiting.email, request.headers)
	const counted: AttemptCounters = device ? [['code-device', device]] : [['code-account', String(waiting.id)]]
	requireHashCapacity()
	await countAttempt(counted)
	const taken = hashToken(newToken())
	let loginData: string | null = null
	try {
		await consumeCode(waiting.id, code, async (trx) => {
			const challenge = await takeLoginChallenge(trx, waiting.hash, taken)
			if (!challenge) throw new NotAllowed(tooLateMessage)
			loginData = challenge.loginData
		})
	} catch (error) {
		if (error instanceof Invalid) await recordSecurityEvent('code-failed', { userId: waiting.id })
		throw error
	}
	await resetAttempts(counted)
	// Whoever changes the password deletes the challenge, also while this session begins.
	const basis = { isStillValid: () => deleteLoginChallenge(taken), refusal: { message: tooLateMessage } }
	const headers = await beginSession(waiting.id, request, basis, loginData)
	return { headers, isLeaving: waiting.is_leaving, notice: noticeOfLogin(loginData) }
}

/** Uses up a TOTP code or a recovery code. @param alongside writes in the same transaction @throws Invalid with the field `code` */
export async function consumeCode(
	userId: number,
	code: string,
	alongside: (trx: Executor) => Promise<void> = async () => {},
): Promise<void> {
	const isTotp = looksLikeTotp(code)
	const recovery = isTotp ? null : await findTypedRecoveryCode(userId, code)
	await db()
		.transaction()
		.execute(async (trx) => {
			if (!isTotp && !(recovery && (await consumeRecoveryCode(trx, recovery))))
				refuseCode('That recovery code is not right, or has been used.')
			if (isTotp) {
				const outcome = await consumeTotpCode(trx, userId, code)
				if (outcome === 'used') refuseCode('That code has been used. Wait for the next one.')
				if (outcome !== 'right') refuseCode('That code is not right. Type the current code.')
			}
			await alongside(trx)
		})
	if (!isTotp) await recordSecurityEvent('recovery-code-used', { userId })
}

function refuseCode(message: string): never {
	throw new Invalid(message, { code: message })
}

async function afterChange({ id }: SignedIn, kind: SecurityEventKind): Promise<void> {
	await announceAccountChange(id)
	await recordSecurityEvent(kind, { userId: id })
}

/** Mails a member about a change. @param what one clause, also used as the subject */
async function mailChange(trx: Executor, member: { id: number }, what: string): Promise<void> {
	const { publicUrl } = config()
	const email = await findEmailById(trx, member.id)
	const text = `${what} for your ${siteName()} account.`
	const link = { label: 'See how you log in', url: `${publicUrl}/settings/two-factor` }
	const closing = `If this was not you, ${await securingAdvice(member.id, trx)}, and ask an admin for help.`
	await addJob('send-mail', linkMail(email, `${what} at ${siteName()}`, text, link, closing), trx)
}
