import { config } from '~/config.server.ts'
import { addJob } from '~/jobs/jobs.server.ts'
import { letter } from '~/mail/mail.server.ts'

/** Mails the link that sets a new password. */
export async function mailReset(email: string, token: string): Promise<void> {
	await addJob('send-mail', resetLetter(email, token))
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
	return letter(email, `Set a new password for ${SITE_NAME}`, text, { label: 'Set a new password', url }, closing)
}
