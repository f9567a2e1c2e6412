import unhomoglyph from 'unhomoglyph'
import { config } from '~/config.server.ts'
import { Invalid } from '~/lib/errors.ts'
import type { Executor } from '~/platform/db/db.server.ts'
import { listStaff } from './accounts.queries.server.ts'
import { candidates, plainUsername, usernameFrom } from './username.server.ts'

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
	[...'ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ'].map((letter, place) => [letter, 'abcdefghijklmnoprstuvwyz'[place] ?? '']),
)
const digits: Record<string, string> = { '3': 'e', '4': 'a', '5': 's', '7': 't', '8': 'b', $: 's', '@': 'a', '!': 'l' }

/**
 * Refuses a name that readers may take for that of a member of the staff, or of the site itself.
 * @param name as it would be stored
 * @throws Invalid with the sentence, at `field`
 */
export async function refuseImpersonation(name: string, field: 'name' | 'fullName'): Promise<void> {
	const staff = await listStaff()
	if (looksOfficial(name, config().SITE_NAME) || staff.some((member) => areAlike(name, member.name)))
		throw new Invalid(refusal, { [field]: refusal })
}

/** The usernames to try in turn for an address: what it asks for, unless that reads as the staff's; with numbers when taken. */
export async function usernamesFor(email: string, executor?: Executor): Promise<Generator<string>> {
	const asked = usernameFrom(email)
	return candidates((await mimicsStaff(asked, executor)) ? plainUsername : asked)
}

/**
 * Whether a username reads as that of the site, of an office, or of a member of the staff in other characters. One that
 * equals a username of the staff is not meant: it is taken, and gets its number.
 */
async function mimicsStaff(username: string, executor?: Executor): Promise<boolean> {
	const staff = await listStaff(executor)
	if (staff.some((member) => member.username === username)) return false
	const word = username.replace(/\d+$/, '')
	const isOfficial = [username, word].some((form) => looksOfficial(form, config().SITE_NAME))
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
