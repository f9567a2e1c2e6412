import { type Mail, type MailRefusal, sendMail } from '~/platform/mail/mail.server.ts'
import { counter } from '~/platform/metrics/metrics.server.ts'
import { classifyBounce, MAX_TRIES_PER_DAY } from './bounces.policy.ts'
import { type AddressOwnerRow, findAddressOwner, releaseDailyMail, reserveDailyMail } from './bounces.queries.server.ts'
import { type MailReport, recordReport } from './bounces.server.ts'
import { returnPathFor } from './return-path.server.ts'

const countWithheld = counter(
	'devquad_mails_withheld_total',
	'Mails that were not sent because mail to the address comes back, was reported as spam, belongs to no account any more, or its member is leaving or has left the university.',
)

/**
 * Sends a mail as {@link sendMail} does, with a return path that identifies it in a bounce. Optional mails are not sent to an address that
 * bounces or complained or that no account has any more, nor to a member who is leaving, or has left the university long ago. Other mails are, a few a day, as a mark
 * may be outdated. A recipient that the mail server rejects at once is recorded too.
 * @throws Error if the mail server does not accept the mail now
 */
export async function deliver(mail: Mail): Promise<void> {
	const way = await findAddressOwner(mail.to)
	if (way ? !(await isOpen(way, mail)) : mail.optional) return countWithheld()
	const sentAt = new Date()
	try {
		const refusal = await sendMail({ ...mail, returnPath: returnPathFor(way ?? null, sentAt) })
		if (way && refusal) await recordReport({ userId: way.user_id, email: way.email, sentAt }, reportOf(refusal))
	} catch (error) {
		if (way?.is_marked) await releaseDailyMail(way.email)
		throw error
	}
}

async function isOpen(
	{ email, is_marked, has_complained, is_leaving, is_gone }: AddressOwnerRow,
	{ optional = false }: Mail,
): Promise<boolean> {
	if (optional && (is_marked || has_complained || is_leaving || is_gone)) return false
	return !is_marked || (await reserveDailyMail(email, MAX_TRIES_PER_DAY))
}

/** What an SMTP rejection says about the mailbox. Without a status the sender may be the problem, so it counts as temporary. */
function reportOf({ answer, isOfRecipient }: MailRefusal): MailReport {
	const { outcome, status } = classifyBounce('', answer)
	if (status) return { says: outcome, status }
	return { says: isOfRecipient ? 'temporary' : 'none', status: '' }
}
