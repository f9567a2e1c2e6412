import { config } from '~/config.server.ts'
import { findAccountByEmail } from '~/features/accounts/accounts.queries.server.ts'
import {
	LINK_LIFETIME_SECONDS,
	type LinkActivator,
	spendMailBudget,
} from '~/features/accounts/registration/account-mails.server.ts'
import { hashToken, newToken } from '~/lib/secrets.server.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { addJob } from '~/platform/jobs/jobs.server.ts'
import { linkMail, type Mail } from '~/platform/mail/mail.server.ts'
import { siteName } from '~/platform/settings/site-name.server.ts'
import {
	activateChangeLink,
	type EmailsRow,
	findEmailChange,
	findEmails,
	insertEmailUndo,
	writeChangeToken,
} from './emails.queries.server.ts'

declare module '~/platform/jobs/jobs.server.ts' {
	interface Jobs {
		/** Mails the link for a new address, or a note that the address already has an account. */
		'email-change': { userId: number }
	}
}

/** How long a change of addresses can be undone, in seconds. The link does not log anybody in. */
const UNDO_LIFETIME = 7 * 86_400

/** Starts the lifetime of the link to a new address when its mail is sent. */
export const beginEmailChangeLink: LinkActivator = (token) =>
	activateChangeLink(hashToken(token), LINK_LIFETIME_SECONDS)

/** Processes a request for a new address. Does nothing if it was cancelled, or mailed already. */
export async function mailEmailChangeLink({ userId }: { userId: number }): Promise<void> {
	await db()
		.transaction()
		.execute(async (trx) => {
			const account = await findEmails(userId, trx, { lock: true })
			const change = await findEmailChange(userId, trx, { lock: true })
			if (!account || !change || change.is_mailed || !(await spendMailBudget(trx, change.email))) return
			if (await findAccountByEmail(change.email, trx)) {
				await addJob('send-mail', knownAddressMail(change.email), trx)
				return
			}
			const token = newToken()
			await writeChangeToken(trx, userId, hashToken(token), LINK_LIFETIME_SECONDS)
			await addJob('send-mail', confirmMail(change.email, account.username, token), trx)
		})
}

/**
 * Mails the change to each former address, with a link that undoes it. These mails are not limited: causing them requires a login and is
 * limited, and a thief must not be able to suppress them.
 */
export async function mailEmailUndoLinks(
	trx: Executor,
	{ userId, before, after }: { userId: number; before: EmailsRow; after: Pick<EmailsRow, 'email' | 'second_email'> },
): Promise<void> {
	for (const to of [before.email, before.second_email]) {
		if (to === null) continue
		const token = newToken()
		const { email, second_email } = before
		await insertEmailUndo(trx, { hash: hashToken(token), userId, email, second_email, seconds: UNDO_LIFETIME })
		await addJob('send-mail', changedMail(to, before.username, after, token), trx)
	}
}

/** Sends a mail to each address of an account. */
export async function mailEachAddress(trx: Executor, userId: number, mailTo: (to: string) => Mail): Promise<void> {
	const addresses = await findEmails(userId, trx)
	for (const to of [addresses?.email, addresses?.second_email]) if (to) await addJob('send-mail', mailTo(to), trx)
}

/** The mail with the link that confirms a new address. */
function confirmMail(to: string, username: string, token: string): Mail {
	const { publicUrl } = config()
	const text = `The member @${username} of ${siteName()} wants to log in and get mail by this address. If that is you, confirm it.`
	const link = { label: 'Confirm my address', url: `${publicUrl}/confirm-email?token=${encodeURIComponent(token)}` }
	const closing =
		'The link works once, for 10 minutes, after you log in; later, its page sends you a new one. If this is not you, you can ignore this email.'
	const mail = linkMail(to, `Confirm your new address for ${siteName()}`, text, link, closing)
	return { ...mail, link: { kind: 'confirm-email', token } }
}

/** Tells the owner of an account that somebody, perhaps they themselves with a second account, entered their address. */
function knownAddressMail(to: string): Mail {
	const { publicUrl } = config()
	const text = `A member of ${siteName()} wanted to add this address to their account, but it already has an account.`
	const link = { label: 'Log in', url: `${publicUrl}/login` }
	const closing =
		'If this was you, take the address off the other account first. Otherwise you can ignore this email: nothing has changed.'
	return linkMail(to, `This address already has an account at ${siteName()}`, text, link, closing)
}

/** The mail to a former address about the change. */
function changedMail(
	to: string,
	username: string,
	{ email, second_email }: Pick<EmailsRow, 'email' | 'second_email'>,
	token: string,
): Mail {
	const { publicUrl } = config()
	// A mailbox that is no longer the account's, such as that of a university, must not learn the new addresses.
	const isLeft = to === email || to === second_email
	const both = second_email === null ? email : `${email} and ${second_email}`
	const now = isLeft ? `You now log in by ${both}, and mails go to ${email}.` : 'This address is no longer one of them.'
	const text = `The email addresses of your account @${username} at ${siteName()} were changed. ${now}`
	const link = { label: 'This was not me: undo it', url: `${publicUrl}/undo-email?token=${encodeURIComponent(token)}` }
	const closing =
		'The link works for 7 days. It gives the account back the addresses that it had, logs out every device, and mails a link for a new password.'
	return linkMail(to, `Your address at ${siteName()} was changed`, text, link, closing)
}
