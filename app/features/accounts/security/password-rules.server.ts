import { lazyLines } from '~/lib/lazy-lines.server.ts'
import { siteName } from '~/platform/settings/site-name.server.ts'

/** The 10,000 commonest passwords of 8 characters or more in breaches (data/README.md). */
const breached = lazyLines('app/features/accounts/data/common-passwords.txt')

const MIN_PASSWORD_LENGTH = 8
const MAX_PASSWORD_LENGTH = 128
/** Digits and signs that may follow a breached password without making it stronger. */
const MAX_SUFFIX_LENGTH = 4
/** Length of a repeated piece up to which a password counts as a repetition. */
const MAX_REPEATED_LENGTH = 4
/** Other letters and digits up to which a password counts as made of known words. */
const MAX_OTHER_CHARACTERS = 3

const sequences = [
	'0123456789',
	'1234567890',
	'abcdefghijklmnopqrstuvwxyz',
	'qwertyuiop',
	'asdfghjkl',
	'zxcvbnm',
	'qwertyuiopasdfghjklzxcvbnm',
	'qwertzuiop',
	'azertyuiop',
	'1qaz2wsx3edc4rfv5tgb6yhn7ujm',
	'1q2w3e4r5t6y7u8i9o0p',
].flatMap((line) => {
	const long = line.repeat(Math.ceil((2 * MAX_PASSWORD_LENGTH) / line.length))
	return [long, [...long].reverse().join('')]
})

/** What is known about the owner of a password; none of it may be the password. */
export interface PasswordOwner {
	email?: string
	name?: string
	username?: string
}

/** Why a password is rejected, in words and as a code. */
export interface PasswordError {
	code: 'PASSWORD_TOO_SHORT' | 'PASSWORD_TOO_LONG' | 'PASSWORD_TOO_COMMON' | 'PASSWORD_TOO_PERSONAL'
	message: string
}

/**
 * Validates a new password; null for a valid one. Length is counted in Unicode code points of the NFC form: 8 to 128. Rejected are
 * breached passwords, repetitions and keyboard rows, and the site's name and the owner's address and names, also doubled or with a
 * few signs added.
 */
export function passwordError(password: string, owner: PasswordOwner = {}): PasswordError | null {
	const whole = password.normalize('NFC')
	const length = [...whole].length
	if (length < MIN_PASSWORD_LENGTH) {
		return { code: 'PASSWORD_TOO_SHORT', message: `The password needs at least ${MIN_PASSWORD_LENGTH} characters.` }
	}
	if (length > MAX_PASSWORD_LENGTH) {
		return { code: 'PASSWORD_TOO_LONG', message: `The password may have at most ${MAX_PASSWORD_LENGTH} characters.` }
	}
	const lower = whole.toLowerCase()
	if (isBreached(lower) || isRepetition(lower) || isSequence(lower)) {
		return { code: 'PASSWORD_TOO_COMMON', message: 'This password is too common. Choose another.' }
	}
	if (isMadeOf(lower, contextWords(owner))) {
		const message = 'This password is too close to the site’s name, your name or your email address. Choose another.'
		return { code: 'PASSWORD_TOO_PERSONAL', message }
	}
	return null
}

function isBreached(password: string): boolean {
	if (breached().has(password)) return true
	const stem = password.replace(/[^\p{L}]+$/u, '')
	return password.length - stem.length <= MAX_SUFFIX_LENGTH && breached().has(stem)
}

function isRepetition(password: string): boolean {
	const characters = [...password]
	return Array.from({ length: MAX_REPEATED_LENGTH }, (_, index) => index + 1).some((size) =>
		characters.every((character, index) => character === characters[index % size]),
	)
}

function isSequence(password: string): boolean {
	return sequences.some((line) => line.includes(password))
}

/** The names of the site and the product, and what the owner is called, each without spaces and signs. */
function contextWords({ email = '', name = '', username = '' }: PasswordOwner): string[] {
	const local = email.slice(0, Math.max(0, email.lastIndexOf('@')))
	const [site, ...wholes] = [siteName(), 'devquad', email, local, name, username].map(squash)
	const parts = [email, name, username].flatMap((text) => text.split(/[^\p{L}\p{N}]+/u).map(squash))
	const words = [site ?? '', ...wholes, ...parts.filter((part) => part.length >= 3)]
	// A number at the end distinguishes namesakes, and is the first thing that guessers vary.
	const stems = words.map((word) => word.replace(/\p{N}+$/u, ''))
	// Longest first: an address is removed as a whole before its parts.
	return [...new Set([...words, ...stems].filter((word) => word.length >= 2))].sort(
		(one, other) => other.length - one.length,
	)
}

/** Whether hardly anything is left of a password without these words; digits and signs do not count. */
function isMadeOf(password: string, words: string[]): boolean {
	const letters = squash(password)
	let rest = letters
	for (const word of words) rest = rest.replaceAll(word, ' ')
	const others = rest.replace(/[\s\p{N}]/gu, '')
	return rest !== letters && others.length <= MAX_OTHER_CHARACTERS
}

function squash(text: string): string {
	return text
		.normalize('NFKC')
		.toLowerCase()
		.replace(/[^\p{L}\p{N}]/gu, '')
}
