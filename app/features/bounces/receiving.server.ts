import { createHash, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import { config } from '~/config.server.ts'
import { countUse } from '~/features/rate-limits/rate-limits.server.ts'
import { Invalid, NotAllowed, NotFound } from '~/lib/errors.ts'
import { classifyBounce } from './bounces.policy.ts'
import { findAddressOwner } from './bounces.queries.server.ts'
import { type MailReport, recordReport } from './bounces.server.ts'
import { readMessage } from './messages.server.ts'
import { findMailByReturnPath, type SentMail } from './return-path.server.ts'

/* Receives reports: messages from mail servers, and webhooks of mail services. */

const unknownMail =
	'This is not a report on a mail that this site sent in the last 14 days to an address that is still in use.'

/**
 * Processes a message that a mail server sent to a return path.
 * @param recipient the address it was delivered to, if known; otherwise its headers tell
 * @returns whether it changed anything
 * @throws Invalid if the message is not a report, or its return path was not made by this site
 */
export async function receiveReportMessage(raw: Uint8Array, recipient = ''): Promise<boolean> {
	const { paths, about } = await readMessage(raw)
	for (const path of [recipient, ...paths]) {
		const mail = await findMailByReturnPath(path)
		if (mail) return recordReport(mail, about(mail.email))
	}
	throw new Invalid(unknownMail)
}

/**
 * Processes a posted report, authenticated by MAIL_BOUNCE_SECRET: a message as `message/rfc822`, or an event as JSON.
 * @param ip of the sender
 * @throws NotFound without that setting, NotAllowed, Invalid, TooManyRequests
 */
export async function receivePostedReport(request: Request, ip: string): Promise<{ noted: boolean }> {
	await countUse('mailReports', null, ip)
	requireSecret(request.headers.get('Authorization') ?? '')
	const type = request.headers.get('Content-Type')?.split(';')[0]?.trim().toLowerCase()
	if (type === 'message/rfc822')
		return { noted: await receiveReportMessage(new Uint8Array(await request.arrayBuffer())) }
	if (type !== 'application/json')
		throw new Invalid('Send a report as message/rfc822, or an event as application/json.')
	return { noted: await takeEvent(readJson(await request.text())) }
}

function readJson(text: string): unknown {
	try {
		return JSON.parse(text)
	} catch {
		throw new Invalid('This is not JSON.')
	}
}

/** @param authorization `Bearer SECRET`, or `Basic` with the secret as password, as some services only accept credentials in the address */
function requireSecret(authorization: string): void {
	const { MAIL_BOUNCE_SECRET } = config()
	if (MAIL_BOUNCE_SECRET === undefined)
		throw new NotFound('Mail reports are not accepted here: MAIL_BOUNCE_SECRET is not set.')
	const [, scheme = '', credentials = ''] = /^(\S+) +(.*)$/.exec(authorization) ?? []
	const given =
		scheme.toLowerCase() === 'basic'
			? Buffer.from(credentials, 'base64')
					.toString()
					.replace(/^[^:]*:/, '')
			: credentials
	if (!timingSafeEqual(digest(given), digest(MAIL_BOUNCE_SECRET)))
		throw new NotAllowed('This needs the header Authorization: Bearer with the value of MAIL_BOUNCE_SECRET.')
}

function digest(text: string): Buffer {
	return createHash('sha256').update(text).digest()
}

const address = z.email('must be an email address').max(320)
const time = z.iso.datetime({ offset: true, error: 'must be a time in ISO 8601' })

/** The event format documented in docs/self-hosting.md. */
const ownEvent = z.object({
	type: z.enum(['bounce', 'complaint', 'delivery'], { error: 'must be bounce, complaint or delivery' }),
	recipient: address,
	permanent: z.boolean().default(false),
	status: z.string().max(20).default(''),
	token: z.string().max(200).optional(),
	sentAt: time.optional(),
})
type MailEvent = z.infer<typeof ownEvent>

/** Postmark's webhooks: https://postmarkapp.com/developer/webhooks/webhooks-overview */
const postmarkEvent = z.discriminatedUnion('RecordType', [
	z.object({ RecordType: z.literal('Bounce'), Type: z.string().max(60), Email: address, BouncedAt: time }),
	z.object({ RecordType: z.literal('SpamComplaint'), Email: address, BouncedAt: time }),
	z.object({ RecordType: z.literal('Delivery'), Recipient: address, DeliveredAt: time }),
])

/** Postmark's bounce types that concern the mailbox, and whether each is permanent. */
const postmarkBounces: Record<string, boolean> = {
	HardBounce: true,
	BadEmailAddress: true,
	Transient: false,
	SoftBounce: false,
	DnsError: false,
}

/** @returns null for an event that does not concern a mailbox @throws Invalid */
function readEvent(input: unknown): MailEvent | null {
	const isPostmark = typeof input === 'object' && input !== null && 'RecordType' in input
	if (!isPostmark) return parseEvent(ownEvent, input)
	const sent = parseEvent(postmarkEvent, input)
	const none = { permanent: false, status: '' }
	if (sent.RecordType === 'Delivery')
		return { ...none, type: 'delivery', recipient: sent.Recipient, sentAt: sent.DeliveredAt }
	const fields = { ...none, recipient: sent.Email, sentAt: sent.BouncedAt }
	if (sent.RecordType === 'SpamComplaint' || sent.Type === 'SpamComplaint') return { ...fields, type: 'complaint' }
	const permanent = Object.hasOwn(postmarkBounces, sent.Type) ? postmarkBounces[sent.Type] : undefined
	return permanent === undefined ? null : { ...fields, type: 'bounce', permanent }
}

/** @throws Invalid with the name of the wrong field, as a sender has no form that shows where the message belongs */
function parseEvent<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
	const { data, error } = schema.safeParse(input)
	if (!error) return data
	const [issue] = error.issues
	throw new Invalid([...(issue?.path ?? []), issue?.message].join(': '))
}

/**
 * Processes an event. Its sender has the secret, so its recipient is trusted; a token, if present, must be valid as well.
 * @returns whether it changed anything
 */
async function takeEvent(input: unknown): Promise<boolean> {
	const event = readEvent(input)
	const mail = event && (await mailOf(event))
	return mail ? recordReport(mail, reportOf(event)) : false
}

async function mailOf({ recipient, token, sentAt }: MailEvent): Promise<SentMail | null> {
	if (token !== undefined) {
		const mail = await findMailByReturnPath(token)
		if (!mail) throw new Invalid(unknownMail)
		return mail
	}
	const way = await findAddressOwner(recipient)
	const sent = sentAt ? new Date(sentAt) : new Date()
	return way ? { userId: way.user_id, email: way.email, sentAt: new Date(Math.min(sent.getTime(), Date.now())) } : null
}

function reportOf({ type, permanent, status }: MailEvent): MailReport {
	if (type !== 'bounce') return { says: type === 'complaint' ? 'complaint' : 'delivered', status: '' }
	const { outcome, status: classified } = classifyBounce(status)
	if (classified && outcome === 'none') return { says: 'none', status: classified }
	return { says: permanent ? 'permanent' : 'temporary', status: classified }
}
