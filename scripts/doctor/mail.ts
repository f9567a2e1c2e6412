import { createTransport } from 'nodemailer'
import type { Config } from '~/config.server.ts'
import { codeOf, type Finding, findings, messageOf } from './finding.ts'

const say = findings('Mail')
const TIMEOUTS = { dnsTimeout: 8_000, connectionTimeout: 8_000, greetingTimeout: 8_000, socketTimeout: 15_000 }

/** Connects to the mail server and logs in; with an address, sends a test letter there. */
export async function checkMail(
	{ SMTP_URL, MAIL_FROM, SITE_NAME, publicUrl, secure }: Config,
	to: string | undefined,
): Promise<Finding[]> {
	if (!SMTP_URL) {
		const words = 'SMTP_URL is not set: mails are written into DATA_DIR/mail, and nobody gets one.'
		return [secure || to ? say.fault(words) : say.warning(words)]
	}
	const found = judgeSender(MAIL_FROM)
	const transport = createTransport({ url: SMTP_URL, ...TIMEOUTS })
	try {
		await transport.verify()
		found.push(say.ok('The mail server lets the site in.'))
		if (to) {
			const text = `This is a test letter of ${SITE_NAME}, ${publicUrl}, sent by npm run doctor. Mail works.\n`
			const { response } = await transport.sendMail({
				from: MAIL_FROM,
				to,
				subject: `Test letter of ${SITE_NAME}`,
				text,
			})
			found.push(
				say.ok(
					`A test letter to ${to} was taken (${response}). If it does not arrive, look into spam, and at SPF and DKIM.`,
				),
			)
		}
	} catch (error) {
		found.push(say.fault(`${faultOf(codeOf(error))} The mail server, or the way to it, says: ${messageOf(error)}.`))
	} finally {
		transport.close()
	}
	return found
}

function judgeSender(from: string): Finding[] {
	const domain = /@([^>\s]+)>?\s*$/.exec(from)?.[1]
	if (domain?.includes('.')) return []
	return [
		say.fault(
			`MAIL_FROM is “${from}”, which mail servers refuse. Set it to an address of your domain, such as Quad <quad@campus.example>.`,
		),
	]
}

const faults: Record<string, string> = {
	EAUTH: 'The mail server refuses the name and password in SMTP_URL.',
	EDNS: 'The host in SMTP_URL is not in DNS.',
	ENOTFOUND: 'The host in SMTP_URL is not in DNS.',
	ECONNECTION: 'Nobody answers at the host and port of SMTP_URL.',
	ESOCKET: 'No connection to the mail server, or no TLS. smtps:// is for port 465, smtp:// for 587 and 25.',
	ETIMEDOUT: 'The mail server does not answer in time. Many hosts block port 25; 465 and 587 are for sending.',
	ECONNREFUSED: 'Nobody listens at the host and port of SMTP_URL.',
	EENVELOPE: 'The mail server refuses the sender (MAIL_FROM) or the recipient.',
	EMESSAGE: 'The mail server refuses the letter.',
}

function faultOf(code: string): string {
	return faults[code] ?? 'Mail does not work.'
}
