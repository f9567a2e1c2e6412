import { createHmac } from 'node:crypto'
import { sweepPictures } from '~/features/pictures/pictures.server.ts'
import { renameInTexts } from '~/features/questions/leaving/leaving.queries.server.ts'
import { announceEndedSessions, endAllAccess } from '~/features/sessions/sessions.server.ts'
import { log } from '~/lib/log.server.ts'
import { ALL_PAGES, invalidatePages } from '~/platform/cache/pages.server.ts'
import { db } from '~/platform/db/db.server.ts'
import { addressPattern, namingPattern, renameInColumns } from '~/platform/db/member-names.queries.server.ts'
import { authSecret } from '~/platform/encryption.server.ts'
import type { Feature } from '~/platform/feature.ts'
import { addJob } from '~/platform/jobs/jobs.server.ts'
import { removeMailsNaming } from '~/platform/mail/mail.server.ts'
import { FORMER_USERNAME, type Leaver, type LeavingStep, type Mentions } from '~/platform/member-data.ts'
import { beginDeletion, deleteAccount, deleteJobsNaming, listDue } from './leaving.queries.server.ts'

declare module '~/platform/jobs/jobs.server.ts' {
	interface Jobs {
		/** A member whose 14 days have passed. */
		'delete-account': { userId: number }
	}
}

/** Deletions that are started in one hour. */
const MAX_DUE = 100

let steps: readonly LeavingStep[] = []
let lastSteps: readonly (() => Promise<unknown>)[] = []
let mentions: readonly { table: string; columns: Mentions }[] = []

/** Registers the steps that features take before a member's account is deleted, and those after it, in order. */
export function registerLeaving(features: readonly Feature[]): void {
	steps = features.flatMap(({ leaving = [] }) => leaving).reverse()
	lastSteps = features.flatMap(({ afterLeaving }) => afterLeaving ?? [])
	mentions = features.flatMap(({ memberData = {} }) =>
		Object.entries(memberData).flatMap(([table, entry]) =>
			typeof entry !== 'string' && entry.mentions ? [{ table, columns: entry.mentions }] : [],
		),
	)
}

/** Queues the deletion of accounts that are due, including interrupted ones; call it regularly. */
export async function deleteDueAccounts(): Promise<void> {
	for (const userId of await listDue(MAX_DUE)) await addJob('delete-account', { userId })
}

/**
 * Deletes an account whose 14 days have passed. Each step is repeated until nothing is left and commits on its own, and the account goes
 * last, so that a deletion can be interrupted at any point and resumed. Does nothing for a member who came back.
 */
export async function deleteLeaver(userId: number): Promise<void> {
	const row = await db()
		.transaction()
		.execute(async (trx) => {
			const begun = await beginDeletion(trx, userId)
			if (begun) await endAllAccess(trx, userId)
			return begun
		})
	if (!row) return
	const { id, accounts, username, name, email, second_email: second } = row
	const leaver: Leaver = {
		id,
		accounts,
		username,
		name,
		keepsTexts: row.keeps_texts,
		alias: aliasOf(id),
		usernames: [username, ...row.former_usernames],
		emails: second ? [email, second] : [email],
	}
	await announceEndedSessions(id, username)
	for (const step of steps) while (await step(leaver));
	await forgetName(leaver)
	await db()
		.transaction()
		.execute((trx) => deleteAccount(trx, id))
	await invalidatePages([ALL_PAGES])
	await sweepPictures()
	for (const step of lastSteps) await step()
	log.info({ userId: id }, 'the account of a member who left was deleted')
}

/** Removes the member's name from texts of others, queued mails and mails in files. */
async function forgetName({ usernames, emails }: Leaver): Promise<void> {
	await renameInTexts(usernames, FORMER_USERNAME)
	for (const place of mentions) await renameInColumns(place, usernames, FORMER_USERNAME)
	const pattern = `${namingPattern(usernames)}|${addressPattern(emails)}`
	await deleteJobsNaming(pattern)
	await removeMailsNaming(pattern)
}

/** Not derivable by others, but the same for each retry of the job. */
function aliasOf(userId: number): string {
	const hash = createHmac('sha256', authSecret()).update(`former member ${userId}`).digest('hex')
	return `former-${hash.slice(0, 12)}`
}
