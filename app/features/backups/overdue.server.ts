import { mailAdmins } from '~/features/members/role-mails.server.ts'
import { fullDate, siteDay } from '~/lib/calendar.ts'
import { log } from '~/lib/log.server.ts'
import { db } from '~/platform/db/db.server.ts'
import { siteName } from '~/platform/settings/site-name.server.ts'
import { findStarts } from './backups.queries.server.ts'
import { backupsPath } from './runs.view.ts'

/** Days without a backup after which all admins are mailed, and again each time as many have passed. */
const OVERDUE_DAYS = 2
const DAY_MS = 86_400_000

/**
 * Mails all admins that backups fail, once in two days without one: nobody looks at the list of backups while all seems well.
 * @param id the run that has failed
 * @param words why
 * @param since when the newest backup was made, or backups were turned on; null if unknown
 */
export async function mailWhenOverdue(id: number, words: string, since: Date | null): Promise<void> {
	if (since === null) return
	const periods = (at: Date) => Math.floor((at.getTime() - since.getTime()) / (OVERDUE_DAYS * DAY_MS))
	const { at, before } = await findStarts(id)
	// Both at their starts: a run across the end of a period would count twice.
	if (at === null || periods(at) <= Math.max(0, before ? periods(before) : 0)) return
	const day = fullDate(siteDay(since.getTime()))
	const mail = {
		subject: `Backups of ${siteName()} fail`,
		text: `There has been no backup of ${siteName()} since ${day}. The last attempt failed: ${words}.`,
		link: { label: 'Open the page of backups', path: backupsPath },
		closing: `The site tries again every hour. You get this mail again after another ${OVERDUE_DAYS} days without a backup.`,
	}
	await db()
		.transaction()
		.execute((trx) => mailAdmins(trx, mail))
		.catch((err: unknown) => log.error({ err }, 'admins could not be mailed that backups fail'))
}
