import { config } from '~/config.server.ts'
import { deliver } from '~/features/bounces/delivery.server.ts'
import { mayResetAnyway } from '~/features/sessions/password-exceptions.server.ts'
import { recordSecurityEvent } from '~/features/sessions/security-log.server.ts'
import { siteTime } from '~/lib/calendar.ts'
import { remember } from '~/lib/remember.ts'
import { hashToken, newToken } from '~/lib/secrets.server.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { type Feature, mergeByName } from '~/platform/feature.ts'
import { addJob } from '~/platform/jobs/jobs.server.ts'
import { linkMail, type Mail } from '~/platform/mail/mail.server.ts'
import { siteName } from '~/platform/settings/site-name.server.ts'
import { findAccountByEmail, lockMember } from '../accounts.queries.server.ts'
import { allowsPasswords } from '../login-methods.server.ts'
import { isClosedDemoAccount } from './demo-accounts.server.ts'
import {
	activateEmailLink,
	activateResetLink,
	deleteNeedlessRegistration,
	findRegistration,
	insertEmailLink,
	replaceResetLink,
	takeMailBudget,
} from './registrations.queries.server.ts'

declare module '~/platform/jobs/jobs.server.ts' {
	interface Jobs {
		/** Looks up who has an address, and mails what was requested. */
		'account-mail': AccountMail
	}
}

declare module '~/platform/feature.ts' {
	interface Feature {
		/** Links of its mails by kind, with how their validity begins. */
		mailedLinks?: Readonly<Record<string, LinkActivator>>
	}
}

/** Makes the link with a token valid for {@link LINK_LIFETIME_SECONDS} from now. @returns false when it is invalid */
export type LinkActivator = (token: string) => Promise<boolean>

/** Seconds for which a mailed link is valid, from when the mail is sent (ASVS 6.5.5). */
export const LINK_LIFETIME_SECONDS = 600
/**
 * Seconds for which a mail with a link may wait for the mail server, and for which the page of an expired confirmation link offers
 * another one: a newcomer may register in the evening and read mail the next day.
 */
export const LINK_RETENTION_SECONDS = 86_400
export const linkIsOverMessage = 'A link works for 10 minutes after it was sent. Have a new one sent to that address.'

const registry = remember<{ links: Readonly<Record<string, LinkActivator>> }>('mailed-links', () => ({ links: {} }))

/** Registers the mailed links of all features. */
export function registerMailedLinks(features: readonly Feature[]): void {
	registry.links = mergeByName(features.map(({ mailedLinks }) => mailedLinks ?? {}))
}

/** The links of the mails below. */
export const accountLinks = {
	'reset-password': (token) => activateResetLink(resetHash(token), LINK_LIFETIME_SECONDS),
	'verify-email': (token) => activateEmailLink(hashToken(token), LINK_LIFETIME_SECONDS),
} satisfies Record<string, LinkActivator>

/** The hash under which Better Auth looks for a password reset link. */
const resetHash = (token: string) => hashToken(`reset-password:${token}`)

/** A request for a mail to an address that was entered. */
export interface AccountMail {
	/**
	 * `register` mails a link to a newcomer, or tells a member that they have an account; `confirm` mails another confirmation link;
	 * `reset` mails a password reset link; `none` does the same work without a mail.
	 */
	kind: 'register' | 'confirm' | 'reset' | 'none'
	email: string
	/** Requested in a browser that is a known device of the account: such mails have a separate budget. */
	isKnownDevice?: boolean
}

/**
 * Queues a mail, if there is a reason and the address has not had too many. The request writes one job in every case, so that
 * neither its answer nor its duration reveals who has an account.
 */
export function queueAccountMail(mail: AccountMail): Promise<void> {
	return addJob('account-mail', mail)
}

/** Runs {@link queueAccountMail}'s job: looks up the address, creates the link, and queues the mail. */
export async function sendAccountMail({ kind, email, isKnownDevice = false }: AccountMail): Promise<void> {
	const isQueued = await db()
		.transaction()
		.execute(async (trx) => {
			const write = await writers[kind](trx, email)
			if (!write) return false
			const { strangers, knownDevices } = budgetsOf(email)
			if (!(await takeMailBudget(trx, isKnownDevice ? knownDevices : strangers))) return false
			await addJob('send-mail', await write(), trx)
			return true
		})
	if (isQueued && kind === 'reset')
		await recordSecurityEvent('reset-requested', { userId: (await findAccountByEmail(email))?.id ?? null })
}

/**
 * Takes one mail to this address from a budget: 3 an hour and 5 a day. By default it is that of all that strangers can request. Nobody may
 * learn that this one is spent, as links for a new password only go to addresses that have an account. @returns whether it may be sent
 */
export function spendMailBudget(trx: Executor, email: string, budget: Budget = 'strangers'): Promise<boolean> {
	return takeMailBudget(trx, budgetsOf(email)[budget])
}

/**
 * Mails a member about a login from an unknown device. The budget is separate: only somebody with the password causes such mails,
 * and exhausting the other budget must not silence them.
 */
export async function mailNewDevice(email: string, device: string): Promise<void> {
	await db()
		.transaction()
		.execute(async (trx) => {
			if (!(await takeMailBudget(trx, budgetsOf(email).newDevices))) return
			await addJob('send-mail', newDeviceMail(email, device, new Date()), trx)
		})
}

/** Creates the mail once it is known that it may be sent; undefined where there is none. */
type Write = (() => Promise<Mail>) | undefined

const writers: Record<AccountMail['kind'], (trx: Executor, email: string) => Promise<Write>> = {
	async register(trx, email) {
		if (!(await findAccountByEmail(email, trx))) return writers.confirm(trx, email)
		await deleteNeedlessRegistration(trx, email)
		return async () => knownAddressMail(email)
	},

	async confirm(trx, email) {
		const member = await findAccountByEmail(email, trx)
		if (member?.email_verified) return undefined
		const waiting = member ?? (await findRegistration(trx, email))
		if (!waiting) return undefined
		return async () => confirmationMail(email, waiting.name, await linkFor(trx, email, member?.id ?? null))
	},

	async reset(trx, email) {
		const member = await findAccountByEmail(email, trx)
		if (!member || isClosedDemoAccount(email) || !(allowsPasswords() || (await mayResetAnyway(email)))) return undefined
		// A concurrent change of the addresses waits for this and then ends the link. The second look sees one that finished meanwhile.
		await lockMember(trx, member.id)
		if ((await findAccountByEmail(email, trx))?.id !== member.id) return undefined
		return async () => {
			const token = newToken()
			const link = { hash: resetHash(token), addresses: [email], seconds: LINK_RETENTION_SECONDS }
			await replaceResetLink(trx, { userId: member.id, ...link })
			return resetMail(email, token)
		}
	},

	none: async () => undefined,
}

async function linkFor(trx: Executor, email: string, userId: number | null): Promise<string> {
	const token = newToken()
	const times = { seconds: LINK_LIFETIME_SECONDS, retentionSeconds: LINK_RETENTION_SECONDS }
	await insertEmailLink(trx, { hash: hashToken(token), email, userId, ...times })
	return token
}

type Budget = keyof ReturnType<typeof budgetsOf>

/** The budget keys of an address: for mails that strangers request, that known devices request, about new devices, of universities, and to link a login. */
function budgetsOf(email: string) {
	const mailbox = mailboxOf(email)
	return {
		strangers: hashToken(mailbox),
		knownDevices: hashToken(`known device ${mailbox}`),
		newDevices: hashToken(`new device ${mailbox}`),
		campus: hashToken(`campus ${mailbox}`),
		linking: hashToken(`linking ${mailbox}`),
	}
}

/** All budget keys of an address, to be deleted with its account. */
export const mailBudgetsOf = (email: string): string[] => Object.values(budgetsOf(email))

/** The mailbox of an address: `mira+2@…` reaches the same person as `mira@…`. */
function mailboxOf(email: string): string {
	return email.toLowerCase().replace(/\+[^@]*@/, '@')
}

/**
 * Mails a password reset link to each of these addresses of an account. There is no budget: the caller makes sure that nobody can
 * cause many.
 */
export async function mailResetLink(trx: Executor, userId: number, addresses: readonly string[]): Promise<void> {
	const token = newToken()
	await replaceResetLink(trx, { userId, hash: resetHash(token), addresses, seconds: LINK_RETENTION_SECONDS })
	for (const address of addresses) await addJob('send-mail', resetMail(address, token), trx)
}

/**
 * Sends a queued mail. Its link is valid for {@link LINK_LIFETIME_SECONDS} from now; a retry renews that. A link that was used or revoked,
 * or that waited for more than a day, is not mailed.
 * @param mail.resetToken of a mail that the previous version queued
 * @throws Error for a kind of link that this version does not know, so that another node takes it
 */
export async function sendQueuedMail({ link, resetToken, ...mail }: Mail & { resetToken?: string }): Promise<void> {
	const mailed = link ?? (resetToken === undefined ? undefined : { kind: 'reset-password', token: resetToken })
	if (mailed) {
		const activate = registry.links[mailed.kind]
		if (!activate) throw new Error(`No feature mails links of the kind “${mailed.kind}”.`)
		if (!(await activate(mailed.token))) return
	}
	await deliver(mail)
}

/** The mail with a password reset link. */
function resetMail(email: string, token: string): Mail {
	const { publicUrl } = config()
	const url = `${publicUrl}/reset-password?token=${encodeURIComponent(token)}`
	const text = `Someone, probably you, asked for a new password for your ${siteName()} account.`
	const closing = 'The link works once, for 10 minutes. If this was not you, you can ignore this email.'
	const link = { label: 'Set a new password', url }
	const mail = linkMail(email, `Set a new password for ${siteName()}`, text, link, closing)
	return { ...mail, link: { kind: 'reset-password', token } }
}

/** The mail with a confirmation link. @param name of the account, so that its owner recognizes it */
function confirmationMail(email: string, name: string, token: string): Mail {
	const { publicUrl } = config()
	const url = `${publicUrl}/verify-email?token=${encodeURIComponent(token)}`
	const text = `Welcome to ${siteName()}. “${name}” was registered with this email address. Please confirm that it is yours.`
	const link = { label: 'Confirm my address', url }
	const closing =
		'The link works once, for 10 minutes; later, its page sends you a new one. If you did not register, ignore this email, or tell us on that page.'
	const mail = linkMail(email, `Confirm your address for ${siteName()}`, text, link, closing)
	return { ...mail, link: { kind: 'verify-email', token } }
}

/** Tells the owner of an account that somebody tried to register with their address. */
function knownAddressMail(email: string): Mail {
	const { publicUrl } = config()
	const text = `Someone, perhaps you, tried to register at ${siteName()} with this address, but it already has an account.`
	const link = { label: 'Set a new password', url: `${publicUrl}/forgot-password` }
	const closing = 'If you know your password, just log in. Nothing has changed.'
	return linkMail(email, `You already have an account at ${siteName()}`, text, link, closing)
}

/** Tells a member about a login from an unknown device. @param at when, shown in the site's time zone */
function newDeviceMail(email: string, device: string, at: Date): Mail {
	const { publicUrl } = config()
	const text = `Someone logged in to your ${siteName()} account from a new device: ${device}, on ${siteTime(at.toISOString())}.`
	const link = { label: 'See where you are logged in', url: `${publicUrl}/settings` }
	const first = allowsPasswords()
		? 'set a new password now with “Forgot Password?” on the login page. That also logs out all devices.'
		: 'log out everywhere else in your settings now, and tell who runs the login of your university.'
	const closing = `If this was you, you can ignore this email. If not, ${first} Then remove passkeys and linked logins that are not yours, in your settings.`
	return linkMail(email, `A new login to your account at ${siteName()}`, text, link, closing)
}
