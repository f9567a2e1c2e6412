import { config } from '~/config.server.ts'
import { addJob } from '~/jobs/jobs.server.ts'
import { letter, type Mail, sendMail } from '~/mail/mail.server.ts'
import { beginResetLink } from './accounts.queries.server.ts'

/** How long a link to set a new password works, in seconds from when its mail was sent. */
const RESET_LINK_SECONDS = 600

/** Mails the link that sets a new password. Its time counts from when the mail leaves. */
export async function mailReset(email: string, token: string): Promise<void> {
	await addJob('send-mail', resetLetter(email, token))
}

/**
 * Sends a mail that waited. A link in it to set a new password works for {@link RESET_LINK_SECONDS} from now; after a failure
 * it begins anew with the next try. A link that was used, taken back, or that waited for longer than a day is not mailed.
 */
export async function sendLetter({ resetToken, ...mail }: Mail): Promise<void> {
	if (resetToken === undefined || (await beginResetLink(resetToken, RESET_LINK_SECONDS))) await sendMail(mail)
}

/** The work of {@link mailReset} without the mail, for an address that nobody here has. */
export async function mailNobody(): Promise<void> {
	await addJob('send-nothing', resetLetter('nobody@nowhere.invalid', 'n'.repeat(24)))
}

/** Mails the link that confirms an address. */
export async function mailVerification(email: string, token: string): Promise<void> {
	const { publicUrl, SITE_NAME } = config()
	const url = `${publicUrl}/verify-email?token=${encodeURIComponent(token)}`
	const text = `Welcome to ${SITE_NAME}. One step is left: show that this address is yours.`
	const link = { label: 'Confirm my address', url }
	await addJob(
		'send-mail',
		letter(email, `Confirm your address for ${SITE_NAME}`, text, link, 'The link works for one day.'),
	)
}

/** Tells the owner of an account that somebody tried to register with their address. */
export async function mailKnownAddress(email: string): Promise<void> {
	const { publicUrl, SITE_NAME } = config()
	const text = `Somebody, perhaps you, tried to register at ${SITE_NAME} with this address, which has an account already.`
	const link = { label: 'Set a new password', url: `${publicUrl}/forgot-password` }
	const closing = 'If you know your password, just log in. Nothing was changed.'
	await addJob('send-mail', letter(email, `You already have an account at ${SITE_NAME}`, text, link, closing))
}

function resetLetter(email: string, token: string) {
	const { publicUrl, SITE_NAME } = config()
	const url = `${publicUrl}/reset-password?token=${encodeURIComponent(token)}`
	const text = `Somebody, probably you, asked to set a new password for your account at ${SITE_NAME}.`
	const closing = 'The link works once and for 10 minutes. If it was not you, nothing has to be done.'
	const link = { label: 'Set a new password', url }
	return { ...letter(email, `Set a new password for ${SITE_NAME}`, text, link, closing), resetToken: token }
}
