import { log } from '~/lib/log.server.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { counter, gauge } from '~/platform/metrics/metrics.server.ts'
import { bounceReason, type DeliveryOutcome, GONE_AFTER_FAILED_DAYS, withFailedDay } from './bounces.policy.ts'
import {
	type AddressProblemRow,
	type BounceRow,
	clearBounceMarks,
	countAddressProblems,
	listAddressProblems,
	listMemberAddresses,
	lockBounce,
	writeBounce,
} from './bounces.queries.server.ts'
import type { AddressProblem, AddressProblemDetail } from './bounces.view.ts'
import type { SentMail } from './return-path.server.ts'

/*
 * Addresses that are marked, as their mail bounces or was reported as spam. A mark is cleared when the member proves that mail arrives or
 * changes the address, or by an admin.
 */

const countReport = counter('devquad_mail_reports_total', 'Reports on mails that were sent, by what they say.', [
	'says',
])
gauge(
	'devquad_addresses_in_trouble',
	'Addresses of accounts to which mail comes back (returned), or from which it was reported as spam (complained).',
	async () => Object.entries(await countAddressProblems()).map(([kind, count]) => [{ kind }, count]),
	{ labels: ['kind'], together: 'max' },
)

/** The content of a report on one mail. */
export interface MailReport {
	says: DeliveryOutcome | 'complaint'
	/** Enhanced status code (RFC 3463); '' for none. */
	status: string
}

/**
 * Records a report. Duplicates, and reports on mails sent before the mark was cleared, change nothing; the order of reports does not
 * matter.
 * @returns whether the report changed anything
 */
export async function recordReport(mail: SentMail, { says, status }: MailReport): Promise<boolean> {
	countReport({ says })
	if (says === 'none') return false
	const isNews = await db()
		.transaction()
		.execute(async (trx) => {
			const known = await lockBounce(trx, mail, { makes: says !== 'delivered' })
			if (!known || (known.cleared_at && mail.sentAt <= known.cleared_at)) return false
			const change = changes[says](known, mail.sentAt, status)
			if (!change) return false
			await writeBounce(trx, mail.email, change)
			return true
		})
	if (isNews) log.info({ says, status }, 'a delivery report was recorded')
	return isNews
}

type Change = (known: BounceRow, sentAt: Date, status: string) => Partial<BounceRow> | null

const latest = (one: Date, other: Date) => (one > other ? one : other)

const changes: Record<Exclude<MailReport['says'], 'none'>, Change> = {
	permanent(known, sentAt, status) {
		if (known.marked_at) return sentAt > known.sent_at ? { sent_at: sentAt, status } : null
		return { marked_at: new Date(), sent_at: latest(known.sent_at, sentAt), status }
	},

	temporary(known, sentAt, status) {
		const day = sentAt.toISOString().slice(0, 10)
		if (known.failed_days.includes(day)) return null
		const failed_days = withFailedDay(known.failed_days, day, new Date())
		const change = { failed_days, sent_at: latest(known.sent_at, sentAt) }
		if (known.marked_at || failed_days.length < GONE_AFTER_FAILED_DAYS) return change
		return { ...change, marked_at: new Date(), status }
	},

	complaint(known, sentAt) {
		if (known.complained_at) return null
		return { complained_at: new Date(), sent_at: latest(known.sent_at, sentAt) }
	},

	delivered(known, sentAt) {
		if (sentAt <= known.sent_at || (!known.marked_at && known.failed_days.length === 0)) return null
		return { marked_at: null, failed_days: [], status: '', sent_at: sentAt, cleared_at: sentAt }
	},
}

/** Problems of a member's addresses; the address that mails go to comes first. */
export async function getAddressProblems(userId: number): Promise<AddressProblem[]> {
	return (await listAddressProblems(userId)).map(presentAddressProblem)
}

/** As {@link getAddressProblems}, with the reasons, for admins. */
export async function getAddressProblemDetails(userId: number): Promise<AddressProblemDetail[]> {
	return (await listAddressProblems(userId)).map((row) => ({
		...presentAddressProblem(row),
		status: row.status,
		reason: bounceReason(row.status),
	}))
}

function presentAddressProblem({ email, is_first, marked_at, complained_at }: AddressProblemRow): AddressProblem {
	const since = (marked_at ?? complained_at ?? new Date()).toISOString()
	return { email, isFirst: is_first, kind: marked_at ? 'returned' : 'complained', since }
}

/**
 * Clears the bounce mark of an address of an account, or of all of them without one. Spam complaints remain.
 * @returns the addresses that had a mark
 */
export function clearAddressProblems(
	executor: Executor,
	userId: number,
	email: string | null = null,
): Promise<string[]> {
	return clearBounceMarks(executor, userId, email)
}

/** Records that a link in a mail was followed. If the account has two addresses, it is unknown which of them got the mail. */
export async function recordMailArrival(userId: number): Promise<void> {
	const addresses = await listMemberAddresses(userId)
	if (addresses.length === 1) await clearBounceMarks(db(), userId, null)
}
