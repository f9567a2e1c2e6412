import type { Config } from '~/config.server.ts'
import { describeMailError, tryMail } from '~/platform/mail/mail.server.ts'
import { type Finding, findings } from './finding.ts'

const say = findings('Mail')

/** Connects to the mail server and logs in; with an address, sends a test mail to it. */
export async function checkMail(
	{ SMTP_URL, MAIL_FROM, SITE_NAME, publicUrl, secure }: Config,
	to: string | undefined,
): Promise<Finding[]> {
	if (!SMTP_URL) {
		const words = 'SMTP_URL is not set: mails are written into DATA_DIR/mail, and nobody gets one.'
		return [secure || to ? say.fault(words) : say.warning(words)]
	}
	const found = assessSender(MAIL_FROM)
	try {
		await tryMail(null, { SMTP_URL, MAIL_FROM })
		found.push(say.ok('The site can log in to the mail server.'))
		if (to) {
			const text = `This is a test letter of ${SITE_NAME}, ${publicUrl}, sent by npm run doctor. Mail works.\n`
			const answer = await tryMail({ to, subject: `Test email from ${SITE_NAME}`, text }, { SMTP_URL, MAIL_FROM })
			found.push(
				say.ok(
					`A test letter to ${to} was taken (${answer}). If it does not arrive, look into spam, and at SPF and DKIM.`,
				),
			)
		}
	} catch (error) {
		found.push(say.fault(describeMailError(error)))
	}
	return found
}

function assessSender(from: string): Finding[] {
	const domain = /@([^>\s]+)>?\s*$/.exec(from)?.[1]
	if (domain?.includes('.')) return []
	return [
		say.fault(
			`MAIL_FROM is “${from}”, which mail servers refuse. Set it to an address of your domain, such as Quad <quad@campus.example>.`,
		),
	]
}
