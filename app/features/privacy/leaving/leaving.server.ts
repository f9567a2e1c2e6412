import { z } from 'zod'
import { config } from '~/config.server.ts'
import { mailEachAddress } from '~/features/identity/emails/email-mails.server.ts'
import { releaseCases } from '~/features/moderation/handling/handling.queries.server.ts'
import { hideProfile, lockHideable, showProfile } from '~/features/profiles/hiding.server.ts'
import { recordSecurityEvent } from '~/features/sessions/security-log.server.ts'
import { deleteDevices } from '~/features/sessions/sessions.queries.server.ts'
import { announceAccountChange, announceEndedSessions, endAllAccess } from '~/features/sessions/sessions.server.ts'
import { fullDate, siteDay } from '~/lib/calendar.ts'
import { Conflict, NotAllowed } from '~/lib/errors.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { ALL_PAGES, invalidatePages } from '~/platform/cache/pages.server.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { type Input, parseInput } from '~/platform/http/form.server.ts'
import { linkMail } from '~/platform/mail/mail.server.ts'
import { siteName } from '~/platform/settings/site-name.server.ts'
import { DAYS_TO_COME_BACK } from '../privacy.limits.ts'
import {
	cancelDeparture,
	countContributions,
	findDeparture,
	insertDeparture,
	isLastAdmin,
	lockRoleChanges,
} from './leaving.queries.server.ts'

/** The form to leave. */
export const leaveInput = z.object({
	texts: z.enum(['keep', 'remove'], { error: 'Choose what happens to what you wrote.' }),
})

/** What the page shows before leaving, or about a pending departure. */
export interface LeavingView {
	/** Whether the viewer is the only admin, who cannot leave. */
	holdings: { questions: number; comments: number; builtOn: number; conversations: number; pictures: number }
	/** Null without a pending departure. */
	departure: {
		leavesAt: string
		keepsTexts: boolean
		/** Whether the site asked for it, so that the member's login has cancelled it. */
		isByRule: boolean
	} | null
}

/** The member's departure, if any, and how much they have written. */
export async function getLeaving(member: Pick<SignedIn, 'id'>): Promise<LeavingView> {
	const [{ questions, comments, built_on: builtOn, conversations, pictures }, departure] = await Promise.all([
		countContributions(member.id),
		findDeparture(member.id),
	])
	return {
		holdings: { questions, comments, builtOn, conversations, pictures },
		departure: departure
			? {
					leavesAt: departure.leaves_at.toISOString(),
					keepsTexts: departure.keeps_texts,
					isByRule: departure.by_rule,
				}
			: null,
	}
}

/**
 * Schedules the deletion of an account in 14 days. Its sessions end and its profile is hidden; until then the member can log in and come
 * back.
 * @param input `texts`: whether forum posts stay, without the name
 * @throws Invalid; Conflict for the only admin, and if a departure is pending
 */
export async function leave(member: SignedIn, input: Input): Promise<void> {
	const { texts } = parseInput(leaveInput, input)
	await db()
		.transaction()
		.execute((trx) => leaveInTransaction(trx, member.id, texts === 'keep'))
	await announceLeaving(member)
}

/** As {@link leave}, in the transaction of an admin; call {@link announceLeaving} after the commit. */
export async function leaveInTransaction(trx: Executor, userId: number, keepsTexts: boolean): Promise<void> {
	await lockRoleChanges(trx)
	await lockHideable(trx, userId)
	if (await isLastAdmin(trx, userId))
		throw new Conflict(
			'The only admin cannot leave. Make somebody else admin first, on their page in the administration.',
		)
	// False if a moderator has hidden it already: coming back must not show it.
	const hidProfile = await hideProfile(trx, userId, 'Is leaving')
	if (!(await insertDeparture(trx, { userId, keepsTexts, hidProfile })))
		throw new Conflict('This account is already being deleted.')
	await endAllAccess(trx, userId)
	await deleteDevices(userId, trx)
	await releaseCases(trx, userId)
}

/**
 * Mails each address of an account that somebody else than its member has scheduled to be deleted. Call it in that transaction.
 * @param why a whole sentence
 * @param how a sentence on how to log in; none by default
 */
export async function mailDeletion(trx: Executor, userId: number, why: string, how = ''): Promise<void> {
	const day = fullDate(siteDay(Date.now() + DAYS_TO_COME_BACK * 86_400_000))
	const link = { label: 'Log in', url: `${config().publicUrl}/login` }
	const text = `${why} It will be deleted on ${day}, and is hidden until then. Log in before that day to keep it.`
	const doNothing =
		'If you want it to be deleted, you need do nothing. If you do not know why this happened, ask an admin.'
	const closing = how === '' ? doNothing : `${how} ${doNothing}`
	await mailEachAddress(trx, userId, (to) =>
		linkMail(to, `Your account at ${siteName()} will be deleted`, text, link, closing),
	)
}

/** The effects after the commit. @param by the admin who scheduled it; the member by default */
export async function announceLeaving({ id, username }: Pick<SignedIn, 'id' | 'username'>, by = id): Promise<void> {
	await announceEndedSessions(id, username)
	await invalidatePages([ALL_PAGES])
	await recordSecurityEvent('leaving', { userId: id, detail: by === id ? {} : { by } })
}

/** Cancels the departure. @throws NotAllowed if the deletion has begun */
export async function cancelLeaving(member: Pick<SignedIn, 'id'>): Promise<void> {
	await db()
		.transaction()
		.execute(async (trx) => {
			await lockHideable(trx, member.id)
			const departure = await cancelDeparture(trx, member.id)
			if (!departure) throw new NotAllowed('This account is not being deleted, or it is too late to keep it.')
			if (departure.hid_profile) await showProfile(trx, member.id)
		})
	await announceAccountChange(member.id)
	await invalidatePages([ALL_PAGES])
	await recordSecurityEvent('came-back', { userId: member.id })
}
