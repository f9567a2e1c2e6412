import { config } from '~/config.server.ts'
import { letter, type Mail, sendMail } from '~/platform/mail/mail.server.ts'
import { beginResetLink } from './account-mails.queries.server.ts'
import { hashToken } from './secret.server.ts'

/** How long a link that sets a new password works, in seconds from when its mail leaves. It gives access, so it is short (ASVS 6.5.5). */
const RESET_LIFETIME = 600

/**
 * Sends a mail that waited. A link in it that sets a new password works for {@link RESET_LIFETIME} from now; after a failure it
 * begins anew with the next try. A link that was used, taken back, or that waited for longer than a day is not mailed.
 */
export async function sendLetter({ resetToken, ...mail }: Mail): Promise<void> {
	if (resetToken !== undefined) {
		const hash = hashToken(`reset-password:${resetToken}`)
		if (!(await beginResetLink(hash, RESET_LIFETIME))) return
	}
	await sendMail(mail)
}

/** The mail with the link that sets a new password. */
export function resetLetter(email: string, token: string): Mail {
	const { publicUrl, SITE_NAME } = config()
	const url = `${publicUrl}/reset-password?token=${encodeURIComponent(token)}`
	const text = `Someone, probably you, asked for a new password for your ${SITE_NAME} account.`
	const closing = 'The link works once, for 10 minutes. If this was not you, you can ignore this email.'
	const link = { label: 'Set a new password', url }
	return { ...letter(email, `Set a new password for ${SITE_NAME}`, text, link, closing), resetToken: token }
}

/** The mail with the link that confirms an address. @param name what the account is called, so that its owner knows it */
export function confirmationLetter(email: string, name: string, token: string): Mail {
	const { publicUrl, SITE_NAME } = config()
	const url = `${publicUrl}/verify-email?token=${encodeURIComponent(token)}`
	const text = `Welcome to ${SITE_NAME}. “${name}” was registered with this email address. Please confirm that it is yours.`
	const link = { label: 'Confirm my address', url }
	const closing =
		'The link works once, for one day. If you did not register, ignore this email, or tell us on that page.'
	return letter(email, `Confirm your address for ${SITE_NAME}`, text, link, closing)
}

/** Tells the owner of an account that somebody tried to register with their address. */
export function knownAddressLetter(email: string): Mail {
	const { publicUrl, SITE_NAME } = config()
	const text = `Someone, perhaps you, tried to register at ${SITE_NAME} with this address, but it already has an account.`
	const link = { label: 'Set a new password', url: `${publicUrl}/forgot-password` }
	const closing = 'If you know your password, just log in. Nothing has changed.'
	return letter(email, `You already have an account at ${SITE_NAME}`, text, link, closing)
}

/** Tells a member of a login from a device that the account did not know. @param at when, shown in UTC */
export function newDeviceLetter(email: string, device: string, at: Date): Mail {
	const { publicUrl, SITE_NAME } = config()
	const time = `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`
	const text = `Someone logged in to your ${SITE_NAME} account from a new device: ${device}, on ${time}.`
	const link = { label: 'See where you are logged in', url: `${publicUrl}/settings` }
	const closing =
		'If this was you, you can ignore this email. If not, set a new password now with “Forgot Password?” on the login page. That also logs out all devices.'
	return letter(email, `A new login to your account at ${SITE_NAME}`, text, link, closing)
}
