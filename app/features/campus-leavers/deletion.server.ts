import { config } from '~/config.server.ts'
import { allowsPasswords } from '~/features/accounts/login-methods.server.ts'
import {
	announceLeaving,
	cancelLeaving,
	leaveInTransaction,
	mailDeletion,
} from '~/features/privacy/leaving/leaving.server.ts'
import { Conflict } from '~/lib/errors.ts'
import { db } from '~/platform/db/db.server.ts'
import { BatchRun } from '~/platform/jobs/batch-run.server.ts'
import { siteSettings } from '~/platform/settings/settings.server.ts'
import { siteName } from '~/platform/settings/site-name.server.ts'
import { listForgotten, listSpared, markByRule } from './leavers.queries.server.ts'
import { isOfUniversity } from './password-exception.server.ts'
import { leaversSection } from './section.server.ts'

/** Accounts whose deletion begins in one night, so that a wrong setting is noticed in time. */
const MAX_A_NIGHT = 100

/**
 * Schedules the deletion of accounts whose members left long ago, if the settings say so, and cancels it for members who have
 * logged in since, or whom the settings no longer concern. Members who could not log in to keep their account are left alone. Runs
 * every night.
 * @throws the last error, once all others were handled
 */
export async function deleteForgotten(): Promise<void> {
	const { after, days } = siteSettings(leaversSection)
	const run = new BatchRun('an account of somebody who left the university was neither kept nor scheduled for deletion')
	const idOf = ({ id }: { id: number }) => id
	await run.each(await listSpared(after === 'delete'), idOf, cancelLeaving)
	const forgotten = after === 'delete' ? (await listForgotten(days)).filter(mayGetIn) : []
	await run.each(forgotten.slice(0, MAX_A_NIGHT), idOf, async (member) => {
		if (await schedule(member, days)) await announceLeaving(member, 0)
	})
	run.finish()
}

/** Whether a member can have a link for a new password mailed, however long ago they left: see `passwordException`. */
function mayGetIn({ emails }: { emails: readonly string[] }): boolean {
	return allowsPasswords() || emails.some((email) => !isOfUniversity(email))
}

/** @returns false if the member has logged in or left meanwhile */
async function schedule({ id }: { id: number }, days: number): Promise<boolean> {
	try {
		await db()
			.transaction()
			.execute(async (trx) => {
				await leaveInTransaction(trx, id, true)
				if (!(await markByRule(trx, id))) throw new Conflict('They have logged in.')
				// Without the username: the address may belong to somebody else by now.
				const why = `The university says that you left it more than ${days} days ago, and you have not used your account at ${siteName()} since.`
				await mailDeletion(trx, id, why, `You can set a new password at ${config().publicUrl}/forgot-password.`)
			})
		return true
	} catch (error) {
		if (error instanceof Conflict) return false
		throw error
	}
}
