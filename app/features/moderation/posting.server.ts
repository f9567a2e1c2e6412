import { config } from '~/config.server.ts'
import { NotAllowed, TooMany } from '~/lib/errors.ts'
import type { Executor } from '~/platform/db/db.server.ts'
import { type AccountStatusRow, lockAccountStatus } from './members.queries.server.ts'
import { moderationLimits, postingLimitAt, postingLimits } from './moderation.limits.ts'

/* The rules for whoever posts, whatever the post is: what an account may post in an hour, and which post waits for a moderator. */

/** How somebody stands who is about to write; their row is locked. @throws NotAllowed when the account is gone */
export async function lockAuthor(trx: Executor, userId: number): Promise<AccountStatusRow> {
	const author = await lockAccountStatus(trx, userId)
	if (!author) throw new NotAllowed('This account no longer exists.')
	return author
}

/**
 * Refuses a post that is one too many in an hour. Moderators and admins post as much as they like.
 * @param secondsOver for each of {@link postingLimits}: seconds until the member may post again, if they posted as much as it
 * allows in the last hour; else null
 * @throws TooMany
 */
export function refuseTooMuch(
	author: AccountStatusRow,
	what: 'questions' | 'comments',
	secondsOver: readonly (number | null)[],
): void {
	if (author.role !== 'member') return
	const limit = postingLimitAt(author.hours)
	const max = limit[what]
	const seconds = secondsOver[postingLimits.indexOf(limit)] ?? null
	if (seconds === null) return
	const minutes = Math.max(1, Math.ceil(seconds / 60))
	throw new TooMany(
		`${author.hours < 24 ? 'A new account' : 'Your account'} can post ${max} ${what === 'questions' ? 'queries' : 'comments'} an hour. Try again in ${minutes === 1 ? 'a minute' : `${minutes} minutes`}.`,
		seconds,
	)
}

/** Whether posts of this member wait for a moderator if they have a link: a newcomer's, until one was approved. */
export function isOnProbation(author: AccountStatusRow): boolean {
	return author.role === 'member' && !author.approved && author.hours < moderationLimits.newAccountDays * 24
}

/**
 * Whether a text has a link or a picture from another site.
 * @param html as the Markdown renderer made it
 * @param home this site's own address; its pages may be linked to
 */
export function leadsElsewhere(html: string, home: string = config().publicUrl): boolean {
	const addresses = [...html.matchAll(/\s(?:href|src)="([^"]*)"/g)].map((match) => match[1] ?? '')
	return addresses.some((address) => /^([a-z][a-z0-9+.-]*:|\/\/)/i.test(address) && !isWithin(address, home))
}

function isWithin(address: string, home: string): boolean {
	return address === home || address.startsWith(`${home}/`)
}
