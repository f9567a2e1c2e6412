import { config } from '~/config.server.ts'
import { recordSecurityEvent } from '~/features/sessions/security-log.server.ts'
import { hashToken, newToken } from '~/lib/secrets.server.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { addJob } from '~/platform/jobs/jobs.server.ts'
import { letter, type Mail, sendMail } from '~/platform/mail/mail.server.ts'
import { siteName } from '~/platform/settings/site-name.server.ts'
import { findAccountByEmail } from '../accounts.queries.server.ts'
import { isClosedDemoAccount } from './demo-accounts.server.ts'
import {
	beginResetLink,
	deleteRegistration,
	findRegistration,
	insertEmailLink,
	replaceResetLink,
	takeMailBudget,
} from './registrations.queries.server.ts'

declare module '~/platform/jobs/jobs.server.ts' {
	interface Jobs {
		/** Looks who has an address that somebody typed in, and mails what they asked for. */
		'account-mail': AccountMail
	}
}

/**
 * How long a link that confirms an address works, in seconds: a day. It gives no access to anything, only proves that a mailbox
 * is read, and a newcomer may register in the evening and read mail the next day.
 */
const CONFIRMATION_LIFETIME = 86_400
/** A mail with a link that sets a new password may wait this long, in seconds; when it leaves, the link begins its ten minutes. */
const MAX_RESET_WAIT = 86_400

/** What somebody asked for, by an address that they typed in. */
export interface AccountMail {
	/**
	 * `register` mails a link to a newcomer, or to a member that they have an account; `confirm` mails another link to whoever is
	 * not confirmed; `reset` a link for a new password; `none` is the work of asking without a mail.
	 */
	kind: 'register' | 'confirm' | 'reset' | 'none'
	email: string
	/** Asked for in a browser that is known for the account: such mails have a budget of their own. */
	isKnownDevice?: boolean
}

/**
 * Has a mail sent, if there is a reason and the address has not had too many. The request writes one job in each case, so that
 * neither its answer nor its time tells who has an account.
 */
export function queueAccountMail(mail: AccountMail): Promise<void> {
	return addJob('account-mail', mail)
}

/** Does what {@link queueAccountMail} has asked for: looks who has the address, makes the link, and queues the mail. */
export async function sendAccountMail({ kind, email, isKnownDevice = false }: AccountMail): Promise<void> {
	const isQueued = await db()
		.transaction()
		.execute(async (trx) => {
			const write = await writers[kind](trx, email)
			if (!write) return false
			const budget = isKnownDevice ? `known device ${mailboxOf(email)}` : mailboxOf(email)
			if (!(await takeMailBudget(trx, hashToken(budget)))) return false
			await addJob('send-mail', await write(), trx)
			return true
		})
	if (isQueued && kind === 'reset')
		await recordSecurityEvent('reset-requested', { userId: (await findAccountByEmail(email))?.id ?? null })
}

/**
 * Takes one mail to this address from its budget: 3 an hour and 5 a day, over all that strangers can ask for.
 * @returns whether it may be sent
 */
export function mayMail(trx: Executor, email: string): Promise<boolean> {
	return takeMailBudget(trx, hashToken(mailboxOf(email)))
}

/**
 * Tells a member of a login from a device that is not known. The budget is its own: only who knows the password causes such
 * mails, and using up the other one must not silence them.
 */
export async function mailNewDevice(email: string, device: string): Promise<void> {
	await db()
		.transaction()
		.execute(async (trx) => {
			if (!(await takeMailBudget(trx, hashToken(`new device ${mailboxOf(email)}`)))) return
			await addJob('send-mail', newDeviceLetter(email, device, new Date()), trx)
		})
}

/** A mail to be written, once it is known that it may be sent; undefined where there is nothing to send. */
type Write = (() => Promise<Mail>) | undefined

const writers: Record<AccountMail['kind'], (trx: Executor, email: string) => Promise<Write>> = {
	async register(trx, email) {
		if (!(await findAccountByEmail(email, trx))) return writers.confirm(trx, email)
		await deleteRegistration(trx, email)
		return async () => knownAddressLetter(email)
	},

	async confirm(trx, email) {
		const member = await findAccountByEmail(email, trx)
		if (member?.email_verified) return undefined
		const waiting = member ?? (await findRegistration(trx, email))
		return (
			waiting && (async () => confirmationLetter(email, waiting.name, await linkFor(trx, email, member?.id ?? null)))
		)
	},

	async reset(trx, email) {
		const member = await findAccountByEmail(email, trx)
		if (!member || isClosedDemoAccount(email)) return undefined
		return async () => {
			const token = newToken()
			await replaceResetLink(trx, {
				userId: member.id,
				hash: hashToken(`reset-password:${token}`),
				seconds: MAX_RESET_WAIT,
			})
			return resetLetter(email, token)
		}
	},

	none: async () => undefined,
}

async function linkFor(trx: Executor, email: string, userId: number | null): Promise<string> {
	const token = newToken()
	await insertEmailLink(trx, { hash: hashToken(token), email, userId, seconds: CONFIRMATION_LIFETIME })
	return token
}

/** The mailbox behind an address: `mira+2@…` reaches the same person as `mira@…`. */
function mailboxOf(email: string): string {
	return email.toLowerCase().replace(/\+[^@]*@/, '@')
}

/** How long a link that sets a new password works, in seconds from when its mail leaves. It gives access, so it is short (ASVS 6.5.5). */
const RESET_LIFETIME = 600

/**
 * Stores a link that sets a new password and works at once, for whoever has just proven that a mailbox of the account is theirs.
 * @returns its token
 */
export async function makeResetLink(trx: Executor, userId: number): Promise<string> {
	const token = newToken()
	await replaceResetLink(trx, { userId, hash: hashToken(`reset-password:${token}`), seconds: RESET_LIFETIME })
	return token
}

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
function resetLetter(email: string, token: string): Mail {
	const { publicUrl } = config()
	const url = `${publicUrl}/reset-password?token=${encodeURIComponent(token)}`
	const text = `Someone, probably you, asked for a new password for your ${siteName()} account.`
	const closing = 'The link works once, for 10 minutes. If this was not you, you can ignore this email.'
	const link = { label: 'Set a new password', url }
	return { ...letter(email, `Set a new password for ${siteName()}`, text, link, closing), resetToken: token }
}

/** The mail with the link that confirms an address. @param name what the account is called, so that its owner knows it */
function confirmationLetter(email: string, name: string, token: string): Mail {
	const { publicUrl } = config()
	const url = `${publicUrl}/verify-email?token=${encodeURIComponent(token)}`
	const text = `Welcome to ${siteName()}. “${name}” was registered with this email address. Please confirm that it is yours.`
	const link = { label: 'Confirm my address', url }
	const closing =
		'The link works once, for one day. If you did not register, ignore this email, or tell us on that page.'
	return letter(email, `Confirm your address for ${siteName()}`, text, link, closing)
}

/** Tells the owner of an account that somebody tried to register with their address. */
function knownAddressLetter(email: string): Mail {
	const { publicUrl } = config()
	const text = `Someone, perhaps you, tried to register at ${siteName()} with this address, but it already has an account.`
	const link = { label: 'Set a new password', url: `${publicUrl}/forgot-password` }
	const closing = 'If you know your password, just log in. Nothing has changed.'
	return letter(email, `You already have an account at ${siteName()}`, text, link, closing)
}

/** Tells a member of a login from a device that the account did not know. @param at when, shown in UTC */
function newDeviceLetter(email: string, device: string, at: Date): Mail {
	const { publicUrl } = config()
	const time = `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`
	const text = `Someone logged in to your ${siteName()} account from a new device: ${device}, on ${time}.`
	const link = { label: 'See where you are logged in', url: `${publicUrl}/settings` }
	const closing =
		'If this was you, you can ignore this email. If not, set a new password now with “Forgot Password?” on the login page. That also logs out all devices.'
	return letter(email, `A new login to your account at ${siteName()}`, text, link, closing)
}
