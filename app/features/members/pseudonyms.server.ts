import { randomInt } from 'node:crypto'
import { claimUsername, lockMember } from '~/features/accounts/accounts.queries.server.ts'
import { Invalid, TooManyRequests } from '~/lib/errors.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { findRevealingPictures, insertPseudonym, secondsUntilPseudonym } from './pseudonyms.queries.server.ts'

/** Pseudonyms that a member may take in 24 hours: each uses up an account and a username permanently. */
export const MAX_PSEUDONYMS_PER_DAY = 10

const qualities =
	'Brave Bright Calm Careful Cheerful Clever Cosy Curious Daring Dreamy Eager Early Fair Friendly Gentle Happy Honest Humble Jolly Keen Kind Lively Lucky Merry Mild Modest Nimble Patient Playful Polite Proud Quick Quiet Ready Shy Silent Smart Snug Steady Sunny Swift Tidy Warm Witty'.split(
		' ',
	)
const animals =
	'Alpaca Badger Beaver Bison Camel Crane Deer Dolphin Duck Falcon Ferret Finch Fox Gecko Goose Hare Hedgehog Heron Ibis Jay Koala Lark Lemur Lynx Marmot Marten Mole Moose Newt Otter Owl Panda Penguin Puffin Rabbit Raven Robin Seal Sparrow Squirrel Stork Swan Tapir Turtle Walrus Wombat Wren Yak'.split(
		' ',
	)
/** Without vowels, so that no words occur, and without look-alikes. */
const letters = 'bcdfghjkmnpqrstvwxz23456789'

/** The account that represents a member in one question. */
export interface Pseudonym {
	id: number
	username: string
	name: string
}

/**
 * Takes a random pseudonym such as “Curious Otter” for one question, so that neither name nor username reveals anything about the member.
 * Other questions may have the same name, but the username is unique. Locks the member's row.
 * @throws TooManyRequests
 */
export async function makePseudonym(trx: Executor, member: SignedIn): Promise<Pseudonym> {
	await lockMember(trx, member.id)
	const seconds = await secondsUntilPseudonym(trx, member.id, MAX_PSEUDONYMS_PER_DAY)
	if (seconds !== null)
		throw new TooManyRequests(
			`You can ask ${MAX_PSEUDONYMS_PER_DAY} queries a day under a pseudonym. Try again later.`,
			seconds,
		)
	const name = `${oneOf(qualities)} ${oneOf(animals)}`
	let username: string
	do username = usernameOf(name)
	while (!(await claimUsername(username, trx)))
	const id = await insertPseudonym(trx, member.id, { username, name, email: `${username}@pseudonyms.invalid` })
	return { id, username, name }
}

/**
 * Rejects a text whose pictures reveal who is behind a pseudonym: by a username of the member in their address, as in older uploads, or
 * because another of the member's accounts, their own or a pseudonym, shows the same upload.
 * @param accountId the account that the text is by; null for a pseudonym that is not made yet
 * @param field the form field of the text
 * @throws Invalid
 */
export async function requireAnonymousPictures(
	text: string,
	{ member, accountId, field }: { member: SignedIn; accountId: number | null; field: string },
	executor: Executor = db(),
): Promise<void> {
	// Resolved as well, as the sanitizer does: /media/x/../profiles/mira/… is an address of mira.
	const resolved = [...text.matchAll(/\/media\/[^\s"'<>()]*/g)].map(
		([address]) => URL.parse(address, 'http://site')?.pathname,
	)
	const pictures = [...[text, ...resolved].join(' ').matchAll(/\/media\/([a-z]+\/([a-z0-9_.-]+)\/[0-9a-f]{32})?/g)]
	if (pictures.length === 0) return
	const paths = pictures.flatMap(([, path]) => path ?? [])
	const folders = pictures.flatMap(([, , folder]) => folder ?? [])
	const found = await findRevealingPictures(executor, { memberId: member.id, accountId, paths, folders })
	const namedMessage = 'The address of a picture in this text contains your username. Upload the picture again.'
	const sharedMessage =
		'A picture in this text is shown under another of your names, which would tell that both are you. Upload the picture again.'
	const message = found.isNamed && accountId !== member.id ? namedMessage : found.isShown ? sharedMessage : null
	if (message) throw new Invalid(message, { [field]: message })
}

/** “curious-otter-7k3f”: the name and four random letters. */
function usernameOf(name: string): string {
	const ending = Array.from({ length: 4 }, () => oneOf([...letters])).join('')
	return `${name.toLowerCase().replace(' ', '-')}-${ending}`
}

function oneOf(list: readonly string[]): string {
	return list[randomInt(list.length)] ?? ''
}
