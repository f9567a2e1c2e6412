import { randomInt } from 'node:crypto'
import unhomoglyph from 'unhomoglyph'
import { Invalid } from '~/lib/errors.ts'
import { lazyLines } from '~/lib/lazy-lines.server.ts'
import type { Executor } from '~/platform/db/db.server.ts'
import { siteName } from '~/platform/settings/site-name.server.ts'
import { listStaff } from '../accounts.queries.server.ts'

const reserved = lazyLines('app/features/accounts/data/reserved-usernames.txt')
/** The default username, for addresses with nothing readable or a name reserved for staff. */
const plainUsername = 'member'
/** Long enough for every real address, with room for a number of up to five digits. */
const MAX_USERNAME_LENGTH = 40

/** Whether a name is reserved. `/find-dev/mira.json` is the profile of `mira` in another format, and `.data` is React Router's suffix. */
function isReserved(username: string): boolean {
	return reserved().has(username) || /\.(json|data)$/.test(username)
}

/**
 * The username for an e-mail address: the part before the at-sign, in lower case, with a hyphen for characters outside `a-z 0-9 _ .
 * -`. It may be taken or reserved.
 */
export function usernameFrom(email: string): string {
	const local = email.slice(0, email.lastIndexOf('@'))
	const name = local
		.normalize('NFKD')
		.replace(/\p{Mn}/gu, '')
		.toLowerCase()
		.replace(/[^a-z0-9_.-]/g, '-')
		.slice(0, MAX_USERNAME_LENGTH)
	// A URL's segments "." and ".." would be resolved away, and a name of dots alone is unreadable.
	return /[a-z0-9]/.test(name) ? name : plainUsername
}

/**
 * Usernames to try in turn: the wanted one, then with a number appended; never a reserved one. After the first twenty the numbers
 * grow randomly and exponentially, so that the thousandth `info@` needs a few attempts and not a thousand.
 */
export function* usernameCandidates(base: string): Generator<string> {
	if (!isReserved(base)) yield base
	for (let number = 2; ; number += number < 20 ? 1 : randomInt(1, number)) {
		if (!isReserved(`${base}${number}`)) yield `${base}${number}`
	}
}

/**
 * Whether an address belongs to one of the domains or their subdomains: `cs.eastmere.example` belongs to `eastmere.example`,
 * `noteastmere.example` does not. An empty list allows every address.
 */
export function isAllowedDomain(email: string, domains: readonly string[]): boolean {
	if (domains.length === 0) return true
	const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase()
	return domains.some((allowed) => domain === allowed || domain.endsWith(`.${allowed}`))
}

/*
 * Detects impersonation. Two names are alike when their skeletons are equal: UTS #39 with its table of confusable characters (from
 * the library), and also without accents, case, spaces and punctuation, and with digits read as the letters that they imitate.
 */

const refusal = 'This name looks like that of a staff member. Choose another.'

/** Words that only staff may have in their names. */
const titles = ['admin', 'administrator', 'moderator', 'sysadmin', 'webmaster']
/** Words that a name may not consist of, alone or together with titles and the site's name. */
const offices = ['help', 'helpdesk', 'mod', 'mods', 'official', 'security', 'staff', 'support', 'system', 'team']

/** Small capitals, which Unicode's table does not map. */
const smallCapitals = new Map(
	[...'ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ'].map((letter, index) => [letter, 'abcdefghijklmnoprstuvwyz'[index] ?? '']),
)
const digits: Record<string, string> = { '3': 'e', '4': 'a', '5': 's', '7': 't', '8': 'b', $: 's', '@': 'a', '!': 'l' }

/**
 * Rejects a name that readers may take for that of staff or of the site.
 * @param name as it would be stored
 * @throws Invalid with the sentence, at `field`
 */
export async function requireNoImpersonation(
	name: string,
	field: 'name' | 'fullName',
	executor?: Executor,
): Promise<void> {
	const staff = await listStaff(executor)
	if (looksOfficial(name, siteName()) || staff.some((member) => areConfusable(name, member.name)))
		throw new Invalid(refusal, { [field]: refusal })
}

/** The usernames to try in turn for an address: from the address, unless that imitates staff; with numbers when taken. */
export async function usernamesFor(email: string, executor?: Executor): Promise<Generator<string>> {
	const base = usernameFrom(email)
	return usernameCandidates((await mimicsStaff(base, executor)) ? plainUsername : base)
}

/**
 * Why a username is reserved for staff, as a sentence; null for an allowed one. Whether it is taken is not checked.
 * @param username in lower case
 * @param isStaff whether they are staff, who may use such names
 */
export async function usernameError(
	username: string,
	{ isStaff }: { isStaff: boolean },
	executor?: Executor,
): Promise<string | null> {
	if (!/^[a-z0-9_.-]+$/.test(username))
		return 'A username can only contain lower-case letters from a to z, digits, dots, hyphens and underscores.'
	if (username.length > MAX_USERNAME_LENGTH) return `A username has at most ${MAX_USERNAME_LENGTH} characters.`
	if (!/[a-z0-9]/.test(username)) return 'A username needs at least one letter or digit.'
	if (isReserved(username)) return 'This username is reserved. Choose another.'
	return !isStaff && (await mimicsStaff(username, executor)) ? refusal : null
}

/**
 * Whether a username imitates the site, an office, or a member of staff with other characters. One that equals the username of
 * staff is simply taken, and gets a number.
 */
async function mimicsStaff(username: string, executor?: Executor): Promise<boolean> {
	const staff = await listStaff(executor)
	if (staff.some((member) => member.username === username)) return false
	const word = username.replace(/\d+$/, '')
	const isOfficial = [username, word].some((form) => looksOfficial(form, siteName()))
	return isOfficial || staff.some((member) => areConfusable(username, member.username))
}

/** Whether readers may confuse two names. */
export function areConfusable(one: string, other: string): boolean {
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

/** The skeletons of a name as written, in upper and in lower case: a letter may be confusable in one of them only. */
function formsOf(name: string): string[] {
	return [...new Set([name, name.toUpperCase(), name.toLowerCase()].map(skeletonOf))]
}

/** What a name looks like: words of lower-case Latin letters where it looks Latin, with single spaces. */
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
