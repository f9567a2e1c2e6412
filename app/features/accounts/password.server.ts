import { hash, verify } from '@node-rs/argon2'
import { lazyLines } from '~/lib/lists.server.ts'

const common = lazyLines('app/features/accounts/data/common-passwords.txt')

const shortestPassword = 8
const longestPassword = 128

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

/** Why a password is refused, in words and as a code. */
export interface PasswordProblem {
	code: 'PASSWORD_TOO_SHORT' | 'PASSWORD_TOO_LONG' | 'PASSWORD_TOO_COMMON'
	message: string
}

/** What is wrong with a new password, or null. Its length is counted in characters of Unicode (code points) of the form NFC. */
export function passwordProblem(password: string): PasswordProblem | null {
	const whole = password.normalize('NFC')
	const length = [...whole].length
	if (length < shortestPassword) {
		return { code: 'PASSWORD_TOO_SHORT', message: `The password needs at least ${shortestPassword} characters.` }
	}
	if (length > longestPassword) {
		return { code: 'PASSWORD_TOO_LONG', message: `The password may have at most ${longestPassword} characters.` }
	}
	if (common().has(whole.toLowerCase())) {
		const message = 'This password is one of the first that a stranger would try. Choose another.'
		return { code: 'PASSWORD_TOO_COMMON', message }
	}
	return null
}
