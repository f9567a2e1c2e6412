import { config } from '~/config.server.ts'
import { letter, type Mail, sendMail } from '~/platform/mail/mail.server.ts'
import { hashToken } from '../security/secret.server.ts'
import { beginResetLink } from './account-mails.queries.server.ts'

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
	const text = `Somebody, probably you, asked to set a new password for your account at ${SITE_NAME}.`
	const closing = 'The link works once and for 10 minutes. If it was not you, nothing has to be done.'
	const link = { label: 'Set a new password', url }
	return { ...letter(email, `Set a new password for ${SITE_NAME}`, text, link, closing), resetToken: token }
}

/** The mail with the link that confirms an address. @param name what the account is called, so that its owner knows it */
export function confirmationLetter(email: string, name: string, token: string): Mail {
	const { publicUrl, SITE_NAME } = config()
	const url = `${publicUrl}/verify-email?token=${encodeURIComponent(token)}`
	const text = `Welcome to ${SITE_NAME}. “${name}” was registered with this address. One step is left: show that it is yours.`
	const link = { label: 'Confirm my address', url }
	const closing = 'The link works once and for one day. If you did not register, do nothing, or say so on that page.'
	return letter(email, `Confirm your address for ${SITE_NAME}`, text, link, closing)
}

/** Tells the owner of an account that somebody tried to register with their address. */
export function knownAddressLetter(email: string): Mail {
	const { publicUrl, SITE_NAME } = config()
	const text = `Somebody, perhaps you, tried to register at ${SITE_NAME} with this address, which has an account already.`
	const link = { label: 'Set a new password', url: `${publicUrl}/forgot-password` }
	const closing = 'If you know your password, just log in. Nothing was changed.'
	return letter(email, `You already have an account at ${SITE_NAME}`, text, link, closing)
}

/** Tells a member of a login from a device that the account did not know. @param at when, shown in UTC */
export function newDeviceLetter(email: string, device: string, at: Date): Mail {
	const { publicUrl, SITE_NAME } = config()
	const time = `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`
	const text = `Your account at ${SITE_NAME} was logged in to from a device that it did not know: ${device}, on ${time}.`
	const link = { label: 'See where you are logged in', url: `${publicUrl}/settings` }
	const closing =
		'If it was you, nothing has to be done. If not, set a new password at once: “Forgot Password?” on the login page does it and logs out every device.'
	return letter(email, `A new login to your account at ${SITE_NAME}`, text, link, closing)
}
