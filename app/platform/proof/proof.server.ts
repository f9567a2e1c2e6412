import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import { newToken } from '~/lib/secrets.server.ts'
import { authSecret } from '~/platform/encryption.server.ts'
import { isProof } from './proof.ts'

/*
 * A proof of work without a third party, like hashcash: the browser searches a number that gives the challenge a rare hash. It
 * takes a phone a second or two, and makes mass registration expensive. Challenges are signed, so nothing is stored until one is
 * used.
 */

/** Zero bits at the start of the hash: about 65,000 hashes. */
const DIFFICULTY = 16
/** Milliseconds for which a challenge is valid: a form may stay open for a while. */
const LIFETIME_MS = 60 * 60_000
/** Milliseconds that a browser without scripts has to wait in place of the work. */
export const WAIT_WITHOUT_SCRIPTS_MS = 30_000

/** A new challenge: its time, random letters, the difficulty, and a signature. @param now milliseconds since the epoch */
export function newChallenge(now = Date.now()): string {
	const words = `${now}.${newToken()}.${DIFFICULTY}`
	return `${words}.${signatureOf(words)}`
}

/**
 * Checks the answer to a challenge. The caller makes sure that none counts twice.
 * @param challenge as the form returned it
 * @param answer the number found; '' where no script ran
 * @param now milliseconds since the epoch
 * @returns `done`: the work was done; `waited`: it was not, but the challenge is old enough for a browser without scripts; `early`:
 * it is not; `invalid`: a forged or expired challenge, or a wrong answer
 */
export function checkProof(
	challenge: string,
	answer: string,
	now = Date.now(),
): 'done' | 'waited' | 'early' | 'invalid' {
	const [time = '', random = '', difficulty = '', signature = ''] = challenge.split('.')
	const expected = Buffer.from(signatureOf(`${time}.${random}.${difficulty}`))
	const given = Buffer.from(signature)
	if (expected.length !== given.length || !timingSafeEqual(expected, given)) return 'invalid'
	const age = now - Number(time)
	if (age < 0 || age > LIFETIME_MS) return 'invalid'
	if (answer !== '')
		return /^\d{1,12}$/.test(answer) && isProof(challenge, answer, Number(difficulty)) ? 'done' : 'invalid'
	return age >= WAIT_WITHOUT_SCRIPTS_MS ? 'waited' : 'early'
}

function signatureOf(words: string): string {
	return createHmac('sha256', signingKey()).update(words).digest('base64url')
}

/** Differs from the key that signs sessions, though both derive from the same secret. */
function signingKey(): Buffer {
	return Buffer.from(hkdfSync('sha256', authSecret(), '', 'devquad challenges', 32))
}
