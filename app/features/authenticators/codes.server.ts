import { randomInt } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'
import { hashPassword, verifyPassword } from '~/features/accounts/security/credentials.server.ts'
import type { Executor } from '~/platform/db/db.server.ts'
import { decryptSecret } from '~/platform/encryption.server.ts'
import { siteName } from '~/platform/settings/site-name.server.ts'
import { findRecoveryCode, lockTotpSecret, writeTotpStep } from './authenticators.queries.server.ts'

/* Codes of authenticator apps (TOTP, RFC 6238: six digits, 30 seconds) and recovery codes: generating, checking and using them. */

/** Seconds that a code is valid. */
const PERIOD = 30
/** Tolerated clock drift of a phone, in periods. */
const TOLERATED_PERIODS = 1
const MAX_RECOVERY_CODES = 10
/** Without look-alikes such as 0 and o, 1 and l. */
const letters = 'abcdefghjkmnpqrstuvwxyz23456789'
/** Lengths of a code's prefix, which identifies it, and of its secret part: about 50 bits. */
const HINT_LENGTH = 2
const SECRET_LENGTH = 10

/** The purpose that the encryption of a secret is bound to. */
export const totpPurpose = (userId: number) => `totp_secrets.secret ${userId}`

/** A new TOTP secret: 160 bits in Base32. */
export const newTotpSecret = () => new Secret({ size: 20 }).base32

/** The `otpauth:` URI of a QR code. @param account the name that the app shows */
export function totpUri(secret: string, account: string): string {
	return totpOf(secret, account).toString()
}

/**
 * Uses a code of the member's app. Each code works once, and none that is older than the last used one.
 * @param typed six digits; blanks are ignored
 * @returns whether it was right; `first` if it activated the app
 */
export async function consumeTotpCode(
	trx: Executor,
	userId: number,
	typed: string,
): Promise<'right' | 'first' | 'wrong' | 'used'> {
	const stored = await lockTotpSecret(trx, userId)
	const secret = stored && decryptSecret(totpPurpose(userId), stored.secret)
	const token = typed.replaceAll(/\s/g, '')
	if (!stored || !secret || !/^\d{6}$/.test(token)) return 'wrong'
	const now = Date.now()
	const delta = totpOf(secret, '').validate({ token, timestamp: now, window: TOLERATED_PERIODS })
	if (delta === null) return 'wrong'
	const step = Math.floor(now / 1_000 / PERIOD) + delta
	if (step <= stored.last_step) return 'used'
	await writeTotpStep(trx, userId, step)
	return stored.isOn ? 'right' : 'first'
}

function totpOf(secret: string, account: string): TOTP {
	const issuer = siteName()
	return new TOTP({ issuer, label: account || issuer, period: PERIOD, secret: Secret.fromBase32(secret) })
}

/** Whether the input looks like a TOTP code rather than a recovery code. */
export const looksLikeTotp = (typed: string) => /^[\d\s]*$/.test(typed)

/** Recovery codes in clear, to be shown once, and hashed, to be stored. */
export interface RecoveryCodes {
	shown: string[]
	stored: { hint: string; hash: string }[]
}

/** Generates ten recovery codes; `replaceRecoveryCodes` stores them. */
export async function makeRecoveryCodes(): Promise<RecoveryCodes> {
	const codes: string[] = []
	while (codes.length < MAX_RECOVERY_CODES) {
		const code = lettersOf(HINT_LENGTH + SECRET_LENGTH)
		// The prefix identifies the code, so that one hash is compared instead of ten.
		if (!codes.some((other) => hintOf(other) === hintOf(code))) codes.push(code)
	}
	const stored = await Promise.all(codes.map(async (code) => ({ hint: hintOf(code), hash: await hashPassword(code) })))
	return { shown: codes.map((code) => code.replace(/(.{4})(?=.)/g, '$1-')), stored }
}

/** Finds the recovery code that was typed. @returns its id, to be used up in the caller's transaction; null if there is none */
export async function findTypedRecoveryCode(userId: number, typed: string): Promise<string | null> {
	const code = typed.toLowerCase().replaceAll(/[\s-]/g, '')
	if (code.length !== HINT_LENGTH + SECRET_LENGTH) return null
	const found = await findRecoveryCode(userId, hintOf(code))
	return found && (await verifyPassword(found.code_hash, code)) ? found.id : null
}

const hintOf = (code: string) => code.slice(0, HINT_LENGTH)

function lettersOf(length: number): string {
	return Array.from({ length }, () => letters[randomInt(letters.length)]).join('')
}
