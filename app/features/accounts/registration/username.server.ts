import { randomInt } from 'node:crypto'
import { lazyLines } from '~/platform/http/lists.server.ts'

const reserved = lazyLines('app/features/accounts/data/reserved-usernames.txt')
/** What is asked for where an address gives nothing to be called by: nothing readable, or what reads as the staff's. */
export const plainUsername = 'member'
/** Long enough for every real address; a number of up to five digits still fits a URL and a line. */
const MAX_USERNAME_LENGTH = 40

/**
 * Whether a name is one that no member may take. `/find-dev/mira.json` is the profile of `mira` in another form, and
 * `.data` is what the router asks for.
 */
function isReserved(username: string): boolean {
	return reserved().has(username) || /\.(json|data)$/.test(username)
}

/**
 * The username that an e-mail address asks for: the part before the at-sign, lower-cased, with characters outside
 * `a-z 0-9 _ . -` replaced by a hyphen. It may still be taken or reserved.
 */
export function usernameFrom(email: string): string {
	const local = email.slice(0, email.lastIndexOf('@'))
	const name = local
		.normalize('NFKD')
		.replace(/\p{Mn}/gu, '')
		.toLowerCase()
		.replace(/[^a-z0-9_.-]/g, '-')
		.slice(0, MAX_USERNAME_LENGTH)
	// A URL's segments "." and ".." would be resolved away, and a name of dots alone cannot be read.
	return /[a-z0-9]/.test(name) ? name : plainUsername
}

/**
 * The names to try in turn: the wanted one, then with a number appended; never a reserved one. After the first twenty the
 * numbers grow by chance and by factors, so that the thousandth `info@` costs a few tries and not a thousand.
 */
export function* candidates(wanted: string): Generator<string> {
	if (!isReserved(wanted)) yield wanted
	for (let number = 2; ; number += number < 20 ? 1 : randomInt(1, number)) {
		if (!isReserved(`${wanted}${number}`)) yield `${wanted}${number}`
	}
}

/**
 * Whether an address belongs to one of the domains, or to a domain below one: `cs.eastmere.example` is in
 * `eastmere.example`, `noteastmere.example` is not. An empty list allows every address.
 */
export function isAllowedDomain(email: string, domains: readonly string[]): boolean {
	if (domains.length === 0) return true
	const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase()
	return domains.some((allowed) => domain === allowed || domain.endsWith(`.${allowed}`))
}
