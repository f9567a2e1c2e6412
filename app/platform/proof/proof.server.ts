import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import { newToken } from '~/lib/secrets.server.ts'
import { authSecret } from '~/platform/encryption.server.ts'
import { hasProof } from './proof.ts'

/*
 * A proof of work that needs no third party, as hashcash does it: the browser looks for a number with which the challenge has a rare hash. It
 * costs a phone a second or two, and whoever registers by the thousand a machine. Challenges are signed, so nothing is stored of
 * them until one is used.
 */

/** Zero bits that the hash begins with: about 65,000 hashes. */
const DIFFICULTY = 16
/** How long a challenge is good for, in milliseconds: a form may lie open for a while. */
const LIFETIME_MS = 60 * 60_000
/** How long a browser without scripts has to wait in place of the work, in milliseconds. */
export const WAIT_WITHOUT_SCRIPTS_MS = 30_000

/** A new challenge: when it was made, random letters, the difficulty, and what signs them. @param now milliseconds of the epoch */
export function newChallenge(now = Date.now()): string {
	const words = `${now}.${newToken()}.${DIFFICULTY}`
	return `${words}.${signatureOf(words)}`
}

/**
 * What an answer to a challenge is worth. That none counts twice is the caller's to see to.
 * @param challenge as the form gave it back
 * @param answer the number that was found; '' where no script looked for one
 * @param now milliseconds of the epoch
 * @returns `done`: the work was done; `waited`: it was not, but the challenge is old enough for a browser without scripts; `early`: it is
 * not; `invalid`: no challenge of ours, one that is too old, or a wrong answer
 */
export function weighAnswer(
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
		return /^\d{1,12}$/.test(answer) && hasProof(challenge, answer, Number(difficulty)) ? 'done' : 'invalid'
	return age >= WAIT_WITHOUT_SCRIPTS_MS ? 'waited' : 'early'
}

function signatureOf(words: string): string {
	return createHmac('sha256', signingKey()).update(words).digest('base64url')
}

/** Another one than what sessions are signed with, though both come from the same secret. */
function signingKey(): Buffer {
	return Buffer.from(hkdfSync('sha256', authSecret(), '', 'devquad challenges', 32))
}
