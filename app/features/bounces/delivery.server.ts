import { type Mail, type Refusal, sendMail } from '~/platform/mail/mail.server.ts'
import { counter } from '~/platform/metrics/metrics.server.ts'
import { classifyBounce, TRIES_A_DAY } from './bounces.policy.ts'
import { findWay, giveBackTry, takeTry, type WayRow } from './bounces.queries.server.ts'
import { noteReport, type Report } from './bounces.server.ts'
import { returnPathFor } from './return-path.server.ts'

const countWithheld = counter(
	'devquad_mails_withheld_total',
	'Mails that were not sent because mail to the address comes back or was reported as spam.',
)

/**
 * Sends a mail as {@link sendMail} does, with a return path that tells which mail came back. One of convenience is not sent to an address that
 * is marked or from which one was reported as spam; any other is, a few a day, as a mark may be out of date. A mail server that refuses the
 * mailbox at once marks it as well.
 * @throws Error when the mail server does not take it now
 */
export async function deliver(mail: Mail): Promise<void> {
	const way = await findWay(mail.to)
	if (way && !(await isOpen(way, mail))) return countWithheld()
	const sentAt = new Date()
	try {
		const refusal = await sendMail({ ...mail, returnPath: returnPathFor(way ?? null, sentAt) })
		if (way && refusal) await noteReport({ userId: way.user_id, email: way.email, sentAt }, reportOf(refusal))
	} catch (error) {
		if (way?.is_marked) await giveBackTry(way.email)
		throw error
	}
}

async function isOpen({ email, is_marked, has_complained }: WayRow, { optional = false }: Mail): Promise<boolean> {
	if (optional && (is_marked || has_complained)) return false
	return !is_marked || (await takeTry(email, TRIES_A_DAY))
}

/** What a refusal says of the mailbox. Without a status it may be the sender who is refused: only if it lasts, it is the mailbox. */
function reportOf({ answer, isOfRecipient }: Refusal): Report {
	const { outcome, status } = classifyBounce('', answer)
	if (status) return { says: outcome, status }
	return { says: isOfRecipient ? 'temporary' : 'none', status: '' }
}
