/* What a bounce says about a mailbox. Reports carry an enhanced status code (RFC 3463): class, subject and detail, such as 5.1.1. */

/**
 * `permanent`: there is no such mailbox. `temporary`: this mail was not delivered, a later one may be. `none`: the mail or its sender was
 * refused, which says nothing about the mailbox. `delivered`: it arrived.
 */
export type DeliveryOutcome = 'permanent' | 'temporary' | 'none' | 'delivered'

/** A mailbox with temporary failures on this many different days is considered gone. */
export const GONE_AFTER_FAILED_DAYS = 4
/** Days that a failure is remembered. A member who gets one mail a week reaches four failures within this time. */
export const FAILURE_RETENTION_DAYS = 30
/**
 * Days after which an address of somebody who has left the university may belong to somebody else. `campus-leavers`, which builds on this
 * feature, mails no links for a password there any more, and this feature no optional mails.
 */
export const SAME_OWNER_DAYS = 90
/** Mails that a bouncing address may still get in a day: those that its member asks for. */
export const MAX_TRIES_PER_DAY = 5

const STATUS = /\b([245])\.(\d{1,3})\.(\d{1,3})\b/

/** Mailbox or domain that does not exist, is disabled or has moved. */
const gone = new Set(['1.1', '1.2', '1.3', '1.6', '1.10', '2.1'])
/** Problems with the sender's address, and messages that are too large. */
const aboutMail = new Set(['1.7', '1.8', '2.3', '3.4'])
/** Protocol, content and policy. */
const subjectsOfMail = new Set(['5', '6', '7'])

/** The first enhanced status code in a text, such as a mail server's reply; '' for none. */
export function statusIn(text: string): string {
	return STATUS.exec(text)?.[0] ?? ''
}

/**
 * Classifies a status.
 * @param diagnostic the mail server's reply, read if the status is unspecific, such as Exim's 5.0.0
 * @returns also the status that decided; '' for none
 */
export function classifyBounce(status: string, diagnostic = ''): { outcome: DeliveryOutcome; status: string } {
	const stated = statusIn(status)
	const specific = /^\d\.0\.0$/.test(stated) || !stated ? statusIn(diagnostic) || stated : stated
	const [, severity = '', subject = '', detail = ''] = STATUS.exec(specific) ?? []
	const outcomeOf = (): DeliveryOutcome => {
		if (severity === '2') return 'delivered'
		if (subjectsOfMail.has(subject) || aboutMail.has(`${subject}.${detail}`)) return 'none'
		return severity === '5' && gone.has(`${subject}.${detail}`) ? 'permanent' : 'temporary'
	}
	return { outcome: outcomeOf(), status: specific }
}

const reasons: Record<string, string> = {
	'1.1': 'There is no such mailbox',
	'1.2': 'The domain of the address does not exist, or takes no mail',
	'1.3': 'The address is not written as one',
	'1.6': 'The mailbox has moved and left no new address',
	'1.10': 'The domain takes no mail',
	'2.1': 'The mailbox is disabled',
	'2.2': 'The mailbox is full',
	'4.1': 'The mail server of the address does not answer',
	'4.4': 'No way leads to the mail server of the address',
	'4.7': 'The mail server of the address did not take it for days',
}

/** Reasons by subject. */
const kinds = [
	'The mail server gives no reason',
	'Something is wrong with the address',
	'Something is wrong with the mailbox',
	'The mail system of the address has a fault',
	'The network on the way to the address has a fault',
	'The mail servers do not understand each other',
	'The mail server does not take the content',
	'The mail server does not allow it',
]

/** A status in plain words, without a full stop. */
export function bounceReason(status: string): string {
	const [, , subject = '0', detail = '0'] = STATUS.exec(status) ?? []
	return reasons[`${subject}.${detail}`] ?? kinds[Number(subject)] ?? kinds[0] ?? ''
}

/**
 * Adds a day to the days on which mails failed.
 * @param days as ISO 8601 dates
 * @returns distinct and sorted, without those older than {@link FAILURE_RETENTION_DAYS}
 */
export function withFailedDay(days: readonly string[], day: string, now: Date): string[] {
	const oldest = new Date(now.getTime() - FAILURE_RETENTION_DAYS * 86_400_000).toISOString().slice(0, 10)
	return [...new Set([...days, day])].filter((one) => one >= oldest).sort()
}
