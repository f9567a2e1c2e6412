import { config } from '~/config.server.ts'
import { allowsPasswords, passwordLoginPath } from '~/features/accounts/login-methods.server.ts'
import { lockAdmin } from '~/features/administration/admins.server.ts'
import { mailEachAddress } from '~/features/identity/emails/email-mails.server.ts'
import { addLogRow } from '~/features/moderation/log.queries.server.ts'
import { MEMBER_SUBJECT } from '~/features/moderation/moderation.policy.ts'
import { lockHideable } from '~/features/profiles/hiding.server.ts'
import { recordSecurityEvent } from '~/features/sessions/security-log.server.ts'
import { announceEndedSessions, endAccessUntilLogin } from '~/features/sessions/sessions.server.ts'
import { isId } from '~/lib/checks.ts'
import { Conflict } from '~/lib/errors.ts'
import { requireAdmin, type SignedIn, type Viewer } from '~/lib/viewer.ts'
import { ALL_PAGES, invalidatePages } from '~/platform/cache/pages.server.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { BatchRun } from '~/platform/jobs/batch-run.server.ts'
import { linkMail, type Mail } from '~/platform/mail/mail.server.ts'
import { siteSettings } from '~/platform/settings/settings.server.ts'
import { siteName } from '~/platform/settings/site-name.server.ts'
import { clearLeft, endCampusConfirmation, lockAccount, writeLeft } from './leavers.queries.server.ts'
import { leaversSection } from './section.server.ts'

/*
 * Marking members as having left the university, and taking that back. The mark ends their sessions and the confirmation that they study
 * there, and deletes nothing. A login with the university's login takes it back (`recordPresence`).
 */

/**
 * Marks members, each in a transaction of its own. Their access tokens rest until they log in. Moderators and admins are left out:
 * an admin decides about their role first.
 * @param by the admin who did it; null for the check of the directory
 * @param isGone asked about each before; a member about whom it throws stays unmarked
 * @throws the last error, once all others were handled
 */
export async function markLeft(
	userIds: Iterable<number>,
	by: number | null,
	isGone: (userId: number) => Promise<boolean> = async () => true,
): Promise<void> {
	const run = new BatchRun('a member who has left the university could not be marked')
	await run.each(new Set(userIds), Number, async (userId) => {
		if (!(await isGone(userId)) || !(await markOne(userId))) return
		await announceEndedSessions(userId)
		await recordSecurityEvent('campus-left', { userId, detail: by === null ? {} : { by } })
	})
	await invalidatePages([ALL_PAGES])
	run.finish()
}

function markOne(userId: number): Promise<boolean> {
	return db()
		.transaction()
		.execute(async (trx) => {
			// An account that was deleted meanwhile has no profile to lock.
			if (!(await lockAccount(trx, userId))) return false
			await lockHideable(trx, userId)
			if (!(await writeLeft(trx, userId))) return false
			await endAccessUntilLogin(trx, userId)
			await endCampusConfirmation(trx, userId)
			await mailEachAddress(trx, userId, leftMail)
			return true
		})
}

/** The mail to a member who was marked. */
function leftMail(to: string): Mail {
	const { after, days } = siteSettings(leaversSection)
	const { publicUrl } = config()
	const link = { label: 'Log in', url: publicUrl + passwordLoginPath() }
	const fate = after === 'keep' ? 'It stays.' : `It will be deleted if you do not log in within ${days} days.`
	const text = `According to the university, you have left it. Your ${siteName()} account was logged out everywhere. ${fate}`
	const address = allowsPasswords() ? 'this address' : 'this address within 90 days, or a private one of your account'
	const closing = `If the login of the university no longer works for you, set a password at ${publicUrl}/forgot-password with ${address}. Your settings have your data, and delete the account. If you have not left, log in with the login of the university, or ask an admin; if your university address was confirmed, confirm it again then.`
	return linkMail(to, `You have left the university: your account at ${siteName()}`, text, link, closing)
}

/** Takes the mark of a member back. @throws NotAllowed; Conflict without one */
export async function takeMarkBack(viewer: Viewer, userId: number): Promise<void> {
	const admin = requireAdmin(viewer)
	await db()
		.transaction()
		.execute(async (trx) => {
			await lockAdmin(trx, admin)
			if (!isId(userId) || !(await clearLeft(trx, userId))) throw new Conflict('This member is not marked any more.')
			await logAct(trx, admin, 'take back that they left')
		})
}

/** Logs what an admin did about those who have left. @param note how many, without their names */
export async function logAct(trx: Executor, admin: SignedIn, act: string, note = ''): Promise<void> {
	const about = { kind: MEMBER_SUBJECT, targetId: admin.id, memberId: admin.id }
	await addLogRow(trx, { actorId: admin.id, act, ...about, title: 'People who have left the university', note })
}
