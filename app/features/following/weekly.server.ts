import {
	lockWeeklyMembers,
	recordWeeklyMail,
	type WeeklyMember,
} from '~/features/notifications/digest.queries.server.ts'
import { type Digest, digestMail } from '~/features/notifications/digest.server.ts'
import { unsubscribeUrl } from '~/features/notifications/preferences.server.ts'
import { questionUrl } from '~/features/search/search.view.ts'
import { pluralize } from '~/lib/text.ts'
import type { Executor } from '~/platform/db/db.server.ts'
import { BatchRun } from '~/platform/jobs/batch-run.server.ts'
import { addJob } from '~/platform/jobs/jobs.server.ts'
import { siteName } from '~/platform/settings/site-name.server.ts'
import { savedSearchPath } from './following.view.ts'
import { listNewlyAnswered, listNewlyAsked, listSearchesWithNews } from './weekly.queries.server.ts'

/** Members per transaction. */
const MAX_MEMBERS = 50

/**
 * Mails the week's news to members who asked for it, as far as they may see it now. The mail's job is queued in the transaction
 * that records it, so that the run can be interrupted at any point and continued without mailing twice. A member whose mail cannot
 * be made is left out until the next run.
 * @returns the number of mails
 * @throws the last error, if somebody was left out
 */
export async function sendWeeklyMails(): Promise<number> {
	const run = new BatchRun('the weekly mail of a member could not be made')
	let mails = 0
	for (let made = await mailNext(run); made !== null; made = await mailNext(run)) mails += made
	run.finish()
	return mails
}

/** @returns the number of mails; null if nobody is due, or another process is mailing */
async function mailNext(run: BatchRun): Promise<number | null> {
	const made = await run.batch(async (trx) => {
		const due = await lockWeeklyMembers(trx, { limit: MAX_MEMBERS, except: run.failed })
		if (due.length === 0) return null
		let mails = 0
		for (const member of due) mails += await run.of(member.user_id, () => mailMember(trx, member))
		return mails
	})
	return made === undefined ? 0 : made
}

/** @returns the number of mails, 0 without news */
async function mailMember(trx: Executor, member: WeeklyMember): Promise<number> {
	const items = await newsOf(trx, member)
	await recordWeeklyMail(trx, member)
	if (items.length === 0) return 0
	await addJob('send-mail', digestMail(member, weeklyDigest(member, items)), trx)
	return 1
}

/** A member's news; empty if there are only notifications that they have seen. */
async function newsOf(trx: Executor, { user_id: id, unread, ...week }: WeeklyMember): Promise<Digest['items']> {
	const answered = await listNewlyAnswered(trx, id, week)
	const known = new Set(answered.map((row) => row.id))
	const newQuestions = (await listNewlyAsked(trx, id, week)).filter((row) => !known.has(row.id))
	const items = [
		...answered.map((row) => ({
			text: row.title,
			excerpt: `${pluralize(row.fresh, 'new comment')} on a query you follow`,
			url: questionUrl(row),
		})),
		...newQuestions.map((row) => ({
			text: row.title,
			excerpt: 'New in a tag or category you follow, or about one of your skills',
			url: questionUrl(row),
		})),
		...(await listSearchesWithNews(trx, id, week)).map((search) => ({
			text: search.name,
			excerpt: `${pluralize(search.hits, 'new result')} of a search you saved`,
			url: savedSearchPath(search.id),
		})),
	]
	if (items.length === 0 || unread === 0) return items
	return [...items, { text: `${pluralize(unread, 'unread notification')}`, excerpt: '', url: '/notifications' }]
}

function weeklyDigest({ user_id: id }: WeeklyMember, items: Digest['items']): Digest {
	return {
		subject: `Your week at ${siteName()}`,
		items,
		reason: 'You asked for this email once a week. It is not sent in a week without news.',
		unsubscribe: unsubscribeUrl(id, 'weekly'),
	}
}
