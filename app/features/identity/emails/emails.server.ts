import { removeCredentials } from '~/features/accounts/accounts.queries.server.ts'
import { allowsPasswords } from '~/features/accounts/login-methods.server.ts'
import {
	LINK_RETENTION_SECONDS,
	linkIsOverMessage,
	mailResetLink,
	queueAccountMail,
} from '~/features/accounts/registration/account-mails.server.ts'
import { isDemoAccount } from '~/features/accounts/registration/demo-accounts.server.ts'
import { isAllowedDomain } from '~/features/accounts/registration/names.server.ts'
import { isAdminEmail, promoteNamedAdmin } from '~/features/accounts/registration/registrations.server.ts'
import { registrationSettings } from '~/features/accounts/registration/rules.server.ts'
import { hasPassword } from '~/features/accounts/security/credentials.server.ts'
import { getAddressProblems } from '~/features/bounces/bounces.server.ts'
import { findTestMailAddress } from '~/features/bounces/test-mails.server.ts'
import { countAttempt } from '~/features/rate-limits/rate-limits.server.ts'
import { deleteResetLinks } from '~/features/sessions/passwords.queries.server.ts'
import { recordSecurityEvent } from '~/features/sessions/security-log.server.ts'
import {
	announceAccountChange,
	announceEndedSessions,
	requireStandingSession,
} from '~/features/sessions/sessions.server.ts'
import { Conflict, Invalid, NotAllowed, NotFound } from '~/lib/errors.ts'
import { hashToken } from '~/lib/secrets.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { ALL_PAGES, invalidatePages } from '~/platform/cache/pages.server.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { type Input, parseInput } from '~/platform/http/form.server.ts'
import { addJob } from '~/platform/jobs/jobs.server.ts'
import { mailEmailUndoLinks } from './email-mails.server.ts'
import {
	deleteEmailChange,
	deleteEmailUndos,
	type EmailsRow,
	findChangeByToken,
	findEmailChange,
	findEmails,
	findEmailUndo,
	isEmailTakenError,
	replaceEmailChange,
	takeEmailChange,
	withdrawChangeToken,
	writeEmails,
} from './emails.queries.server.ts'
import { newEmailInput } from './emails.schema.ts'
import type { EmailSlot, EmailsView } from './emails.view.ts'

/*
 * The addresses of an account. A new one must be confirmed by a link mailed to it. Every change is mailed to the former addresses, with a
 * link that undoes it for a week.
 */

const oldLinkMessage = 'This link has expired, or a newer one was sent. Ask for a new one in your settings.'
const oldUndoMessage = 'This link has been used or has expired. Set a new password if you cannot log in.'
const changedElsewhereMessage = 'Your addresses were changed in another tab. Reload the page.'
const takenMessage = 'This address cannot be used for your account any more. Choose another.'

/** The addresses of the viewer's account. @param token of the link in a test mail, else '' @throws NotFound if the account is gone */
export async function getEmails(viewer: SignedIn, token = ''): Promise<EmailsView> {
	const [row, isByPassword, change, problems, tested] = await Promise.all([
		requireEmails(viewer.id),
		hasPassword(viewer.id),
		findEmailChange(viewer.id),
		getAddressProblems(viewer.id),
		findTestMailAddress(viewer, token),
	])
	return {
		email: row.email,
		isConfirmed: row.email_verified,
		mayConfirm: !row.email_verified && isByPassword,
		second: row.second_email,
		pending: change ? { email: change.email, place: change.place } : null,
		problems,
		tested: presentTest(tested, token),
		domains: registrationSettings().domains,
	}
}

function presentTest(email: string | null, token: string): EmailsView['tested'] {
	if (email !== null) return { email, token }
	return token ? 'over' : null
}

/** Mails a link that confirms the first address, unless it is confirmed. @returns the address @throws TooManyRequests */
export async function requestConfirmation(viewer: SignedIn): Promise<string> {
	const { email } = await requireEmails(viewer.id)
	await countAttempt([['email-change', String(viewer.id)]])
	await queueAccountMail({ kind: 'confirm', email })
	return email
}

/**
 * Requests a new address. The response does not reveal whether it has an account; a job finds out, and mails. Nothing changes before the
 * link is followed.
 * @param input email, place
 * @returns the address
 * @throws Invalid, NotAllowed, TooManyRequests
 */
export async function requestEmailChange(viewer: SignedIn, input: Input): Promise<string> {
	const { email, place } = parseInput(newEmailInput, input)
	const account = await requireEmails(viewer.id)
	requirePossibleEmail(account, email, place)
	await countAttempt([['email-change', String(viewer.id)]])
	await db()
		.transaction()
		.execute(async (trx) => {
			await replaceEmailChange(trx, { userId: viewer.id, place, email, seconds: LINK_RETENTION_SECONDS })
			await addJob('email-change', { userId: viewer.id }, trx)
		})
	await recordSecurityEvent('email-requested', { userId: viewer.id })
	return email
}

/**
 * Mails another link to the pending address, and invalidates the previous one.
 * @returns the address
 * @throws Invalid if nothing is pending, TooManyRequests
 */
export async function resendEmail(viewer: SignedIn): Promise<string> {
	await countAttempt([['email-change', String(viewer.id)]])
	return db()
		.transaction()
		.execute(async (trx) => {
			const email = await withdrawChangeToken(trx, viewer.id)
			if (email === undefined) throw new Invalid('No address waits to be confirmed. Ask for it again.')
			await addJob('email-change', { userId: viewer.id }, trx)
			return email
		})
}

/** @throws Invalid for what the member can correct, NotAllowed */
function requirePossibleEmail(account: EmailsRow, email: string, place: EmailSlot): void {
	if (isDemoAccount(account.email) || isDemoAccount(email))
		throw new NotAllowed('The address of a demo account cannot be changed. Register an account of your own.')
	const refuse = (message: string) => {
		throw new Invalid(message, { email: message })
	}
	if (email === account.email) refuse('This is your address already.')
	if (email === account.second_email) refuse('This is your personal address already. Make it the first one below.')
	const { domains } = registrationSettings()
	if (place === 'email' && !isAllowedDomain(email, domains))
		refuse(`Your address here is one of ${domains.join(', ')}. Add any other one as your personal address.`)
	if (place === 'second_email' && !account.email_verified)
		throw new NotAllowed('Confirm your first address before you add another one.')
}

/** Cancels the pending address and its link. */
export async function cancelEmailChange(viewer: SignedIn): Promise<void> {
	await deleteEmailChange(viewer.id)
}

/**
 * The change that a link would make, for its page. Only the member who requested it may see and confirm it: otherwise
 * another reader of the mailbox could take over the account.
 * @returns also whether the link has expired and another one is needed
 * @throws Invalid if the link is no longer valid, NotAllowed for another member
 */
export async function findChange(
	viewer: SignedIn,
	token: string,
): Promise<{ email: string; place: EmailSlot; isOver: boolean }> {
	const change = await findChangeByToken(hashToken(token))
	if (!change) throw new Invalid(oldLinkMessage)
	if (change.user_id !== viewer.id)
		throw new NotAllowed('Another member requested this link. Log in as that member to confirm the address.')
	return { email: change.email, place: change.place, isOver: change.is_over }
}

/**
 * Confirms a new address with a token, once. Pending links to reset the password become invalid.
 * @throws Invalid if the link is no longer valid, Conflict if another account has the address by now
 */
export async function confirmEmail(viewer: SignedIn, token: string): Promise<string> {
	const { email } = await findChange(viewer, token)
	await change(viewer, async (trx, before) => {
		const request = await takeEmailChange(trx, viewer.id, hashToken(token))
		if (!request) throw new Invalid(oldLinkMessage)
		if (request.is_over) throw new Invalid(linkIsOverMessage)
		requirePossibleEmail(before, request.email, request.place)
		return request.place === 'email'
			? { email: request.email, second_email: before.second_email }
			: { email: before.email, second_email: request.email }
	})
	if (isAdminEmail(email)) await promoteNamedAdmin(email)
	return email
}

/**
 * Makes the personal address the first one, and the other way round. If it is the first one already, as after a double click, nothing
 * changes.
 * @throws Invalid if the account does not have this address any more
 */
export async function swapEmails(viewer: SignedIn, address: string): Promise<void> {
	await change(viewer, async (_trx, { email, second_email }) => {
		if (email === address) return null
		if (second_email !== address) throw new Invalid(changedElsewhereMessage)
		return { email: second_email, second_email: email }
	})
}

/**
 * Removes the personal address. If the account does not have it any more, nothing changes.
 * @throws Invalid if it has become the first one
 */
export async function removeSecondEmail(viewer: SignedIn, address: string): Promise<void> {
	await change(viewer, async (_trx, { email, second_email }) => {
		if (email === address) throw new Invalid(changedElsewhereMessage)
		return second_email === address ? { email, second_email: null } : null
	})
}

/**
 * Changes the addresses of an account, mails the former ones, and invalidates the links that were mailed to them.
 * @param decide null for no change
 */
async function change(
	viewer: SignedIn,
	decide: (trx: Executor, before: EmailsRow) => Promise<Pick<EmailsRow, 'email' | 'second_email'> | null>,
): Promise<void> {
	const isChanged = await rejectingTaken(() =>
		db()
			.transaction()
			.execute(async (trx) => {
				const before = await requireEmails(viewer.id, trx, { lock: true })
				await requireStandingSession(trx)
				const after = await decide(trx, before)
				if (!after) return false
				await writeEmails(trx, viewer.id, after)
				await deleteResetLinks(viewer.id, trx)
				await mailEmailUndoLinks(trx, { userId: viewer.id, before, after })
				return true
			}),
	)
	if (!isChanged) return
	await announceAccountChange(viewer.id)
	await recordSecurityEvent('email-changed', { userId: viewer.id })
}

/** What a link would undo, for its page. @throws Invalid if it is no longer valid */
export async function findUndo(token: string): Promise<{ username: string; email: string }> {
	const undo = await findEmailUndo(hashToken(token))
	if (!undo) throw new Invalid(oldUndoMessage)
	return { username: undo.username, email: undo.email }
}

/**
 * Restores the former addresses of an account, with a token mailed to one of them. The change may have been made by a
 * thief, so all sessions, tokens and known devices are revoked, and the password, passkeys, linked logins of other sites and other undo
 * links are deleted. The link does not log anybody in: a link to set a new password is mailed to the restored addresses.
 * @throws Invalid if the link is no longer valid, Conflict if another account has an address by now
 */
export async function undoEmailChange(token: string): Promise<void> {
	const undo = await rejectingTaken(() =>
		db()
			.transaction()
			.execute(async (trx) => {
				const found = await findEmailUndo(hashToken(token), trx, { lock: true })
				if (!found) throw new Invalid(oldUndoMessage)
				await requireEmails(found.user_id, trx, { lock: true })
				await writeEmails(trx, found.user_id, found)
				await removeCredentials(trx, found.user_id, allowsPasswords())
				await deleteEmailUndos(trx, found.user_id)
				const addresses = [found.email, found.second_email].filter((address) => address !== null)
				await mailResetLink(trx, found.user_id, addresses)
				return found
			}),
	)
	await announceEndedSessions(undo.user_id, undo.username)
	// A profile shows the links that its member proved by a login of another site.
	await invalidatePages([ALL_PAGES])
	await recordSecurityEvent('email-undone', { userId: undo.user_id })
}

/** Turns a violation of the unique key into a Conflict, for concurrent claims of one address. @throws Conflict */
async function rejectingTaken<Result>(work: () => Promise<Result>): Promise<Result> {
	try {
		return await work()
	} catch (error) {
		if (!isEmailTakenError(error)) throw error
		throw new Conflict(takenMessage)
	}
}

async function requireEmails(userId: number, executor?: Executor, lock?: { lock: boolean }): Promise<EmailsRow> {
	const row = await findEmails(userId, executor, lock)
	if (!row) throw new NotFound('There is no such account.')
	return row
}
