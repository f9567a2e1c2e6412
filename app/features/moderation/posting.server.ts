import { config } from '~/config.server.ts'
import { NotAllowed, TooManyRequests } from '~/lib/errors.ts'
import type { Executor } from '~/platform/db/db.server.ts'
import { type AccountStatusRow, lockAccountStatus } from './members.queries.server.ts'
import { moderationLimits, postingLimitAt, postingLimits } from './moderation.limits.ts'

/* Posting rules for all kinds of posts: how many an account may post per hour, and which posts are pending. */

/** Locks and returns the status of a member who is about to write. @throws NotAllowed when the account is gone */
export async function lockAuthor(trx: Executor, userId: number): Promise<AccountStatusRow> {
	const author = await lockAccountStatus(trx, userId)
	if (!author) throw new NotAllowed('This account no longer exists.')
	return author
}

/**
 * Enforces the hourly limit; moderators and admins have none.
 * @param secondsOver for each of {@link postingLimits}: seconds until the member may post again, if they have reached it within the
 * last hour; else null
 * @throws TooManyRequests
 */
export function requirePostingAllowance(
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
	throw new TooManyRequests(
		`${author.hours < 24 ? 'A new account' : 'Your account'} can post ${max} ${what === 'questions' ? 'queries' : 'comments'} an hour. Try again in ${minutes === 1 ? 'a minute' : `${minutes} minutes`}.`,
		seconds,
	)
}

/** Whether posts of this member with links are pending: a newcomer's, until one was approved. */
export function isOnProbation(author: AccountStatusRow): boolean {
	return author.role === 'member' && !author.approved && author.hours < moderationLimits.newAccountDays * 24
}

/**
 * Whether a text has a link to another site, or a picture from one.
 * @param html as the Markdown renderer made it
 * @param home this site's own address; links to its pages do not count
 */
export function hasExternalLinks(html: string, home: string = config().publicUrl): boolean {
	const addresses = [...html.matchAll(/\s(?:href|src)="([^"]*)"/g)].map((match) => match[1] ?? '')
	return addresses.some((address) => /^([a-z][a-z0-9+.-]*:|\/\/)/i.test(address) && !isWithin(address, home))
}

function isWithin(address: string, home: string): boolean {
	return address === home || address.startsWith(`${home}/`)
}
