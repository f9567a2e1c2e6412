import { hash, verify } from '@node-rs/argon2'
import { Invalid } from '~/lib/errors.ts'
import { lazyLines } from '~/lib/lists.server.ts'

const common = lazyLines('app/features/accounts/data/common-passwords.txt')

export const shortestPassword = 8
export const longestPassword = 128

/**
 * Argon2id with 19 MiB, two passes and one lane: the least of OWASP's Password Storage Cheat Sheet (2026), about 20 ms here.
 */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** The argon2id hash of a password, taken whole: spaces and every character of Unicode count, in the form NFC. */
export function hashPassword(password: string): Promise<string> {
	return hash(password.normalize('NFC'), cost)
}

/** Whether a password is the one that was hashed. A hash that cannot be read fits nothing. */
export async function verifyPassword(stored: string, password: string): Promise<boolean> {
	try {
		return await verify(stored, password.normalize('NFC'))
	} catch {
		return false
	}
}

/**
 * Refuses what is too easy to guess.
 * @param field where the message belongs in the form
 * @throws Invalid with a sentence that says what to do
 */
export function checkPassword(password: string, field = 'password'): void {
	const length = [...password].length
	const problem =
		length < shortestPassword
			? `The password needs at least ${shortestPassword} characters. [PASSWORD_TOO_SHORT]`
			: length > longestPassword
				? `The password may have at most ${longestPassword} characters. [PASSWORD_TOO_LONG]`
				: common().has(password.toLowerCase())
					? 'This password is one of the first that a stranger would try. Choose another. [PASSWORD_TOO_COMMON]'
					: undefined
	if (problem) throw new Invalid(problem, { [field]: problem })
}
