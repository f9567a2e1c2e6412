import { randomInt } from 'node:crypto'
import unhomoglyph from 'unhomoglyph'
import { Invalid } from '~/lib/errors.ts'
import type { Executor } from '~/platform/db/db.server.ts'
import { lazyLines } from '~/platform/http/lists.server.ts'
import { siteName } from '~/platform/settings/site-name.server.ts'
import { listStaff } from '../accounts.queries.server.ts'

const reserved = lazyLines('app/features/accounts/data/reserved-usernames.txt')
/** The username where an address gives none: nothing readable, or what reads as the staff's. */
const plainUsername = 'member'
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
 * The username that an e-mail address leads to: the part before the at-sign, lower-cased, with characters outside
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

/*
 * Who a name may be mistaken for. Two names are alike when their skeletons are: UTS #39 with its table of confusable
 * characters (from the library), and beyond it without accents, case, spaces and punctuation, and with digits read as the
 * letters that they are written for.
 */

const refusal = 'This name looks like that of a staff member. Choose another.'

/** Nobody but the staff is called so, whatever stands around it. */
const titles = ['admin', 'administrator', 'moderator', 'sysadmin', 'webmaster']
/** Nobody is called by such words alone, or by these, titles and the site's name together. */
const offices = ['help', 'helpdesk', 'mod', 'mods', 'official', 'security', 'staff', 'support', 'system', 'team']

/** Small capitals, which the table of Unicode leaves as they are. */
const smallCapitals = new Map(
	[...'ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ'].map((letter, index) => [letter, 'abcdefghijklmnoprstuvwyz'[index] ?? '']),
)
const digits: Record<string, string> = { '3': 'e', '4': 'a', '5': 's', '7': 't', '8': 'b', $: 's', '@': 'a', '!': 'l' }

/**
 * Refuses a name that readers may take for that of a member of the staff, or of the site itself.
 * @param name as it would be stored
 * @throws Invalid with the sentence, at `field`
 */
export async function refuseImpersonation(name: string, field: 'name' | 'fullName'): Promise<void> {
	const staff = await listStaff()
	if (looksOfficial(name, siteName()) || staff.some((member) => areAlike(name, member.name)))
		throw new Invalid(refusal, { [field]: refusal })
}

/** The usernames to try in turn for an address: what it leads to, unless that reads as the staff's; with numbers when taken. */
export async function usernamesFor(email: string, executor?: Executor): Promise<Generator<string>> {
	const wanted = usernameFrom(email)
	return candidates((await mimicsStaff(wanted, executor)) ? plainUsername : wanted)
}

/**
 * Why nobody but the staff can choose this username, as a sentence for whoever typed it; null for one that is fine. Whether somebody
 * has it is not asked.
 * @param username in small letters
 * @param isStaff the staff may be called like an office
 */
export async function usernameRefusal(
	username: string,
	{ isStaff }: { isStaff: boolean },
	executor?: Executor,
): Promise<string | null> {
	if (!/^[a-z0-9_.-]+$/.test(username))
		return 'A username has small letters from a to z, digits, dots, hyphens and underscores, and nothing else.'
	if (username.length > MAX_USERNAME_LENGTH) return `A username has at most ${MAX_USERNAME_LENGTH} characters.`
	if (!/[a-z0-9]/.test(username)) return 'A username needs at least one letter or digit.'
	if (isReserved(username)) return 'This username is reserved. Choose another.'
	return !isStaff && (await mimicsStaff(username, executor)) ? refusal : null
}

/**
 * Whether a username reads as that of the site, of an office, or of a member of the staff in other characters. One that
 * equals a username of the staff is not meant: it is taken, and gets its number.
 */
async function mimicsStaff(username: string, executor?: Executor): Promise<boolean> {
	const staff = await listStaff(executor)
	if (staff.some((member) => member.username === username)) return false
	const word = username.replace(/\d+$/, '')
	const isOfficial = [username, word].some((form) => looksOfficial(form, siteName()))
	return isOfficial || staff.some((member) => areAlike(username, member.username))
}

/** Whether one name may be read as the other. */
export function areAlike(one: string, other: string): boolean {
	const others = new Set(formsOf(other).map(squashed))
	return formsOf(one).some((form) => squashed(form) !== '' && others.has(squashed(form)))
}

/** Whether a name reads as the site's or as an office of it. @param siteName from the settings */
export function looksOfficial(name: string, siteName: string): boolean {
	const site = squashed(skeletonOf(siteName))
	const held = titles.map(skeletonOf)
	const words = [...held, ...offices.map(skeletonOf), ...(site ? [site] : [])].sort(
		(one, other) => other.length - one.length,
	)
	const nothingElse = new RegExp(`^(?:${words.join('|')})+$`)
	return formsOf(name).some((form) => {
		const parts = form.split(' ')
		// As a first name alone: a surname may well be the name of a campus.
		const isOfSite = site !== '' && `${form} `.startsWith(`${skeletonOf(siteName)} `)
		return isOfSite || parts.some((part) => held.includes(part)) || nothingElse.test(squashed(form))
	})
}

/** The skeletons of a name as it is written, in capitals and in small letters: a letter may be confusable in one of them. */
function formsOf(name: string): string[] {
	return [...new Set([name, name.toUpperCase(), name.toLowerCase()].map(skeletonOf))]
}

/** What a name looks like: words of small Latin letters, as far as it looks Latin, with one space between them. */
function skeletonOf(name: string): string {
	const plain = unhomoglyph(withoutMarks(name)).replace(/[\u0299-\uA731]/g, (one) => smallCapitals.get(one) ?? one)
	return withoutMarks(unhomoglyph(plain.toLowerCase()))
		.toLowerCase()
		.replace(/[0134578$@!|i]/g, (one) => (one === '0' ? 'o' : (digits[one] ?? 'l')))
		.replace(/vv/g, 'w')
		.replace(/[^\p{L}\p{N}]+/gu, ' ')
		.trim()
}

function withoutMarks(text: string): string {
	return text.normalize('NFKD').replace(/\p{M}|\p{Cf}/gu, '')
}

function squashed(skeleton: string): string {
	return skeleton.replaceAll(' ', '')
}
