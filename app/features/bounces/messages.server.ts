import PostalMime, { type Attachment, type Email } from 'postal-mime'
import { Invalid } from '~/lib/errors.ts'
import { classifyBounce, type DeliveryOutcome, statusIn } from './bounces.policy.ts'
import type { MailReport } from './bounces.server.ts'

/*
 * Parses messages from mail servers: delivery status notifications (RFC 3464, or qmail's plain text) and abuse reports (RFC 5965). Anybody
 * can send such a message, so it only counts with a valid return path.
 */

/** In bytes. A report contains at most one mail of this site, which is small. */
export const MAX_MESSAGE_BYTES = 512 * 1024
/** Maximum numbers of addresses in a message, and of recipients in a report. */
const MAX_LOOKED_AT = 20
/** Bounds the cost of a hostile message: nesting, and bytes of headers. */
const PARSER_LIMITS = { maxNestingDepth: 10, maxHeadersSize: 64 * 1024, maxRfc822NestingDepth: 2 }

const noReport = 'This message is not a report on a mail that could not be delivered.'

/** A message that reports on a mail. */
export interface MessageReport {
	/** The addresses that it was sent to; one of them may be a return path. */
	paths: string[]
	/** What it says about a mail to this address. */
	about: (email: string) => MailReport
}

/** The delivery status of one recipient. */
interface RecipientStatus {
	action: string
	status: string
	/** The mail server's reply. */
	diagnostic: string
	/** The final recipient, for instance after forwarding; '' if unknown. */
	recipient: string
}

/** Parses a message that reports on a mail. @throws Invalid for any other message, and for one that cannot be parsed */
export async function readMessage(raw: Uint8Array): Promise<MessageReport> {
	if (raw.byteLength > MAX_MESSAGE_BYTES) throw new Invalid('A report is a message of at most 512 KB.')
	const email = await PostalMime.parse(raw, {
		...PARSER_LIMITS,
		attachmentEncoding: 'utf8',
		forceRfc822Attachments: true,
	}).catch(() => {
		throw new Invalid(noReport)
	})
	const complaint = partOf(email, 'message/feedback-report')
	if (complaint !== undefined) return complaintOf(email, complaint)
	const status = partOf(email, 'message/delivery-status')
	const recipients = status === undefined ? qmailRecipients(email.text ?? '') : recipientsOf(status)
	if (recipients.length === 0) throw new Invalid(noReport)
	return { paths: addressesOf(email), about: (address) => decide(recipients, address) }
}

function partOf({ attachments }: Email, type: string): string | undefined {
	const part: Attachment | undefined = attachments.find(({ mimeType }) => mimeType === type)
	return part && String(part.content)
}

/** Every address that the message was sent to, according to the headers of mail servers. */
function addressesOf({ headers }: Email, more = ''): string[] {
	const names = new Set(['to', 'delivered-to', 'x-original-to', 'envelope-to'])
	const values = headers.filter(({ key }) => names.has(key)).map(({ value }) => value)
	const found = [...values, more].flatMap((value) => value.match(/[^\s<>,;:"()]{1,64}@[^\s<>,;:"()]{1,255}/g) ?? [])
	return [...new Set(found)].slice(0, MAX_LOOKED_AT)
}

/** Groups of fields separated by empty lines, by lower-case name. Of duplicates the first counts. */
function fieldGroups(text: string): Map<string, string>[] {
	const unfolded = text.replace(/\r\n?/g, '\n').replace(/\n[ \t]+/g, ' ')
	return unfolded.split(/\n{2,}/).map((group) => {
		const fields = new Map<string, string>()
		for (const line of group.split('\n')) {
			const [, name = '', value = ''] = /^([\w-]{1,60}):[ \t]*(.*)$/.exec(line) ?? []
			if (name && !fields.has(name.toLowerCase())) fields.set(name.toLowerCase(), value.trim())
		}
		return fields
	})
}

/** The recipients of a delivery status notification. */
function recipientsOf(text: string): RecipientStatus[] {
	return fieldGroups(text)
		.filter((fields) => fields.has('action'))
		.slice(0, MAX_LOOKED_AT)
		.map((fields) => ({
			action: fields.get('action')?.split(/[ (;]/)[0]?.toLowerCase() ?? '',
			status: fields.get('status') ?? '',
			diagnostic: withoutType(fields.get('diagnostic-code')),
			recipient: withoutType(fields.get('final-recipient') ?? fields.get('original-recipient')),
		}))
}

/** The value after the type, such as the address in `rfc822; mira@campus.example`. */
function withoutType(value = ''): string {
	return value.replace(/^[\w-]+\s*;\s*/, '').replace(/^<|>$/g, '')
}

/** The failed recipients of a bounce by qmail-send: a greeting, then a paragraph for each that starts with the address. */
function qmailRecipients(text: string): RecipientStatus[] {
	const paragraphs = text.replace(/\r\n?/g, '\n').split(/\n{2,}/)
	if (!/^Hi\. This is the /.test(paragraphs[0] ?? '')) return []
	const ofCopy = paragraphs.findIndex((one) => one.startsWith('--- '))
	return paragraphs.slice(1, ofCopy === -1 ? undefined : ofCopy).flatMap((paragraph) => {
		const [, recipient, words = ''] = /^<([^<>\n]{3,320})>:\n([\s\S]*)$/.exec(paragraph) ?? []
		const failed = { action: 'failed', status: statusIn(words), diagnostic: words }
		return recipient === undefined ? [] : [{ ...failed, recipient }]
	})
}

const gravity: DeliveryOutcome[] = ['permanent', 'temporary', 'none']

/** What a report says about a mail to one address, which may have been forwarded. */
function decide(recipients: readonly RecipientStatus[], email: string): MailReport {
	const reports = recipients
		.filter(({ action }) => action === 'failed')
		.map(({ status, diagnostic, recipient }): { says: DeliveryOutcome; status: string } => {
			const { outcome, status: classified } = classifyBounce(status, diagnostic)
			// If the address forwards mail, the bouncing mailbox is another one.
			const isOther = recipient !== '' && recipient.toLowerCase() !== email
			return { says: outcome === 'permanent' && isOther ? 'temporary' : outcome, status: classified }
		})
	for (const says of gravity) {
		const found = reports.find((report) => report.says === says)
		if (found) return found
	}
	const isDelivered = recipients.some(({ action }) => action === 'delivered')
	return { says: isDelivered ? 'delivered' : 'none', status: '' }
}

/** Parses an abuse report: the recipient reported a mail as spam. */
function complaintOf(email: Email, text: string): MessageReport {
	const [fields] = fieldGroups(text)
	const isComplaint = /^(abuse|fraud|opt-out)\b/i.test(fields?.get('feedback-type') ?? '')
	return {
		paths: addressesOf(email, fields?.get('original-mail-from')),
		about: () => ({ says: isComplaint ? 'complaint' : 'none', status: '' }),
	}
}
