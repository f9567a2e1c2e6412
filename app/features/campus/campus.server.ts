import { randomBytes } from 'node:crypto'
import { config } from '~/config.server.ts'
import {
	LINK_LIFETIME_SECONDS,
	LINK_RETENTION_SECONDS,
	type LinkActivator,
	linkIsOverMessage,
	spendMailBudget,
} from '~/features/accounts/registration/account-mails.server.ts'
import { requireMayWrite } from '~/features/accounts/security/suspension.server.ts'
import { requireOwner, requireProfileWriter } from '~/features/members/members.server.ts'
import { editProfilePath } from '~/features/members/members.view.ts'
import { countAttempt } from '~/features/rate-limits/rate-limits.server.ts'
import { recordSecurityEvent } from '~/features/sessions/security-log.server.ts'
import { Conflict, Invalid, NotAllowed, TooManyRequests } from '~/lib/errors.ts'
import { networkOf } from '~/lib/networks.server.ts'
import { hashToken } from '~/lib/secrets.server.ts'
import type { Viewer } from '~/lib/viewer.ts'
import { ALL_PAGES, invalidatePages } from '~/platform/cache/pages.server.ts'
import { db } from '~/platform/db/db.server.ts'
import { addJob } from '~/platform/jobs/jobs.server.ts'
import { linkMail, type Mail } from '~/platform/mail/mail.server.ts'
import { siteName } from '~/platform/settings/site-name.server.ts'
import {
	activateLink,
	type CampusRow,
	claimDueReminders,
	confirmCampusAddress,
	consumeLink,
	fillCampusAddress,
	findByLink,
	findCampus,
	lockLeft,
	releaseExpiredAddress,
	replaceLink,
} from './campus.queries.server.ts'
import { CAMPUS_LIFETIME_MS, CAMPUS_REMINDER_MS, type CampusStatus, campusStatus, domainOf } from './campus.view.ts'
import { isUntrustedDomain, universityOfDomain } from './universities.server.ts'

/** Milliseconds after which a login renews a confirmation. */
const LOGIN_RENEWAL_MS = 30 * 86_400_000
const MAX_REMINDED_AT_ONCE = 200

const oldLinkMessage =
	'This link has been used, has expired, or belongs to an address that has changed. Ask for a new one.'

const hasLeft =
	'The university says that you have left it, so its address does not verify you. If that is wrong, log in with the login of the university, or ask an admin.'

/** Starts the lifetime of a link when its mail is sent. */
export const activateCampusLink: LinkActivator = (token) => activateLink(hashToken(token), LINK_LIFETIME_SECONDS)

/** The state of the viewer's university address. @throws NotAllowed */
export async function getCampus(viewer: Viewer, username: string): Promise<CampusStatus> {
	const { id } = requireOwner(viewer, username)
	const row = (await findCampus(id)) ?? { university_email: '', campus_name: '', campus_verified_at: null }
	return campusStatus(row, universityOfDomain(domainOf(row.university_email)), Date.now())
}

/**
 * Mails a link to the university address of the viewer's profile. It is valid once, for ten minutes, and replaces earlier ones.
 * Renewing works the same way.
 * @param ip of the request; mails are limited per IP address, per member and per mail address
 * @returns the address
 * @throws NotAllowed, also for a member who has left the university; Invalid if the address is missing or proves nothing,
 * TooManyRequests
 */
export async function requestCampusVerification(viewer: Viewer, username: string, ip: string): Promise<string> {
	const member = await requireProfileWriter(viewer, username)
	const row = await findCampus(member.id)
	const email = row?.university_email ?? ''
	if (!row || email === '') throw new Invalid('Save your university email first.')
	await mailLink(row, ip)
	return email
}

/**
 * Mails a new link in place of an expired one, to the same address. No login is needed: only its reader has the old
 * link.
 * @param ip of the request
 * @throws Invalid if the link can no longer be replaced, NotAllowed while the member is suspended or has left the university, TooManyRequests
 */
export async function resendCampusLink(token: string, ip: string): Promise<void> {
	const row = await findByLink(hashToken(token))
	if (!row) throw new Invalid(oldLinkMessage)
	await requireMayWrite(row.user_id)
	await mailLink(row, ip)
}

async function mailLink(row: CampusRow, ip: string): Promise<void> {
	const { user_id: userId, university_email: email } = row
	if (row.has_left) throw new NotAllowed(hasLeft)
	checkDomain(domainOf(email))
	await countAttempt([
		['campus-member', String(userId)],
		['campus-address', networkOf(ip)],
	])
	const token = randomBytes(32).toString('base64url')
	await db()
		.transaction()
		.execute(async (trx) => {
			if (!(await spendMailBudget(trx, email, 'campus')))
				throw new TooManyRequests('We have sent many emails to that address. Try again tomorrow.', 86_400)
			await replaceLink(trx, {
				hash: hashToken(token),
				userId,
				email,
				seconds: LINK_LIFETIME_SECONDS,
				retentionSeconds: LINK_RETENTION_SECONDS,
			})
			await addJob('send-mail', confirmationMail(row, token), trx)
		})
}

/**
 * What a link would confirm, for its page.
 * @returns null if the link has expired and can be replaced
 * @throws Invalid if it is no longer valid
 */
export async function findCampusLink(
	token: string,
): Promise<{ name: string; username: string; email: string; university: string } | null> {
	const row = await findByLink(hashToken(token))
	if (!row) throw new Invalid(oldLinkMessage)
	if (row.is_over) return null
	const { name, username, university_email: email } = row
	return { name, username, email, university: checkDomain(domainOf(email)) }
}

/**
 * Confirms the address that a link was mailed to. No login is needed: only the reader of that mailbox has the link.
 * @returns the member's username and the university
 * @throws Invalid if the link is no longer valid, NotAllowed while the member is suspended or has left the university, Conflict if the address
 * verifies another account
 */
export async function confirmCampus(token: string): Promise<{ username: string; university: string }> {
	try {
		const { userId, ...confirmed } = await db()
			.transaction()
			.execute(async (trx) => {
				const link = await consumeLink(trx, hashToken(token))
				if (!link) throw new Invalid(oldLinkMessage)
				if (link.is_over) throw new Invalid(linkIsOverMessage)
				await requireMayWrite(link.user_id, trx)
				if (await lockLeft(trx, link.user_id)) throw new NotAllowed(hasLeft)
				const university = checkDomain(domainOf(link.email))
				await releaseExpiredAddress(trx, link.user_id, link.email, new Date(Date.now() - CAMPUS_LIFETIME_MS))
				const username = await confirmCampusAddress(trx, link.user_id, link.email, university)
				if (username === undefined) throw new Invalid(oldLinkMessage)
				return { userId: link.user_id, username, university }
			})
		await announceConfirmation(userId)
		return confirmed
	} catch (error) {
		if (!isTaken(error)) throw error
		throw new Conflict('This address already verifies another account. Remove it there first.')
	}
}

/**
 * Confirms the university address of a member whom the campus login has just reported as a student. Does nothing if the address belongs to
 * no known university, differs from that of the profile, or verifies another account.
 */
export async function confirmCampusByLogin(userId: number, email: string): Promise<void> {
	const university = universityOfDomain(domainOf(email))
	const row = await findCampus(userId)
	const isNew = !row?.campus_verified_at || Date.now() - row.campus_verified_at.getTime() > LOGIN_RENEWAL_MS
	if (!university || !isNew) return
	try {
		const username = await db()
			.transaction()
			.execute(async (trx) => {
				await releaseExpiredAddress(trx, userId, email, new Date(Date.now() - CAMPUS_LIFETIME_MS))
				await fillCampusAddress(trx, userId, email)
				return confirmCampusAddress(trx, userId, email, university.name)
			})
		if (username !== undefined) await announceConfirmation(userId)
	} catch (error) {
		if (!isTaken(error)) throw error
	}
}

async function announceConfirmation(userId: number): Promise<void> {
	await invalidatePages([ALL_PAGES])
	await recordSecurityEvent('campus-confirmed', { userId })
}

/** Reminds a batch of members whose confirmation ends within two weeks, each once. @returns their number */
export async function remindOfCampusExpiry(): Promise<number> {
	const now = Date.now()
	return db()
		.transaction()
		.execute(async (trx) => {
			const after = new Date(now - CAMPUS_LIFETIME_MS)
			const due = await claimDueReminders(
				trx,
				after,
				new Date(now - CAMPUS_LIFETIME_MS + CAMPUS_REMINDER_MS),
				MAX_REMINDED_AT_ONCE,
			)
			for (const row of due) await addJob('send-mail', reminderMail(row), trx)
			return due.length
		})
}

/** @returns the name of the university @throws Invalid if addresses at this domain do not prove membership */
function checkDomain(domain: string): string {
	const university = universityOfDomain(domain)
	if (university) return university.name
	throw new Invalid(
		isUntrustedDomain(domain)
			? `People who do not study there can have an address at ${domain}, so it cannot be used to verify you.`
			: `${domain} is not the email domain of a university that we know.`,
	)
}

function confirmationMail({ username, university_email }: CampusRow, token: string): Mail {
	const { publicUrl } = config()
	const text = `The member @${username} of ${siteName()} says that this is their university address. If that is you, confirm it, and your profile will show that you study there.`
	const link = { label: 'Confirm my university address', url: `${publicUrl}/confirm-campus?token=${token}` }
	const closing =
		'The link works once, for 10 minutes; later, its page sends you a new one. If this is not you, you can ignore this email.'
	const mail = linkMail(university_email, `Confirm your university address for ${siteName()}`, text, link, closing)
	return { ...mail, link: { kind: 'confirm-campus', token } }
}

function reminderMail({ username, email, university_email, campus_name }: CampusRow): Mail {
	const { publicUrl } = config()
	const text = `Your profile says that you are a verified student of ${campus_name}. A confirmation counts for a year, and yours ends within two weeks.`
	const link = { label: 'Renew it', url: publicUrl + editProfilePath(username, 'academics') }
	const closing = `You need to be able to read email at ${university_email}. If you no longer study there, you can ignore this email.`
	return linkMail(email, `Still at ${campus_name}?`, text, link, closing)
}

function isTaken(error: unknown): boolean {
	const { code, constraint } = error as { code?: string; constraint?: string }
	return code === '23505' && constraint === 'profiles_campus_address'
}
