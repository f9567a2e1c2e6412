import { z } from 'zod'
import { hideProfile, lockHideable, showProfile } from '~/features/profiles/hiding.server.ts'
import { recordSecurityEvent } from '~/features/sessions/security-log.server.ts'
import { deleteDevices } from '~/features/sessions/sessions.queries.server.ts'
import { announceAccountChange, announceEndedSessions, endAllAccess } from '~/features/sessions/sessions.server.ts'
import { Conflict, NotAllowed } from '~/lib/errors.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { dropPages, everyPage } from '~/platform/cache/pages.server.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { type Input, parseInput } from '~/platform/http/form.server.ts'
import {
	countHoldings,
	findDeparture,
	insertDeparture,
	isLastAdmin,
	lockRoles,
	takeBackDeparture,
} from './leaving.queries.server.ts'

/** What a form to leave says. */
export const leaveInput = z.object({
	texts: z.enum(['keep', 'remove'], { error: 'Choose what happens to what you wrote.' }),
})

/** What somebody who thinks of leaving is told, or who leaves already. */
export interface LeavingView {
	/** Whether the viewer is the only admin, who cannot leave. */
	holdings: { questions: number; comments: number; builtOn: number; conversations: number; pictures: number }
	/** Null for who does not leave. */
	departure: { leavesAt: string; keepsTexts: boolean } | null
}

/** How a member stands to leaving, with how much there is of them. */
export async function getLeaving(member: Pick<SignedIn, 'id'>): Promise<LeavingView> {
	const [{ questions, comments, built_on: builtOn, conversations, pictures }, departure] = await Promise.all([
		countHoldings(member.id),
		findDeparture(member.id),
	])
	return {
		holdings: { questions, comments, builtOn, conversations, pictures },
		departure: departure ? { leavesAt: departure.leaves_at.toISOString(), keepsTexts: departure.keeps_texts } : null,
	}
}

/**
 * Has an account deleted 14 days from now. Its sessions end, its profile is hidden; whoever logs in until then may come back.
 * @param input `texts`: whether what they wrote in the forum stays without their name
 * @throws Invalid; Conflict for the only admin, and for who leaves already
 */
export async function leave(member: SignedIn, input: Input): Promise<void> {
	const { texts } = parseInput(leaveInput, input)
	await db()
		.transaction()
		.execute((trx) => leaveIn(trx, member.id, texts === 'keep'))
	await announceLeaving(member)
}

/** As {@link leave}, within a transaction of an admin; call {@link announceLeaving} after it. */
export async function leaveIn(trx: Executor, userId: number, keepsTexts: boolean): Promise<void> {
	await lockRoles(trx)
	await lockHideable(trx, userId)
	if (await isLastAdmin(trx, userId))
		throw new Conflict(
			'The only admin cannot leave. Make somebody else admin first, on their page in the administration.',
		)
	// A moderator may hide it already: coming back does not change that.
	const hidProfile = await hideProfile(trx, userId, 'Is leaving')
	if (!(await insertDeparture(trx, { userId, keepsTexts, hidProfile })))
		throw new Conflict('This account is already being deleted.')
	await endAllAccess(trx, userId)
}

/** What follows once it is committed. */
export async function announceLeaving({ id, username }: Pick<SignedIn, 'id' | 'username'>): Promise<void> {
	await deleteDevices(id)
	await announceEndedSessions(id, username)
	await dropPages([everyPage])
	await recordSecurityEvent('leaving', { userId: id })
}

/** Keeps the account after all. @throws NotAllowed when its deletion has begun */
export async function comeBack(member: SignedIn): Promise<void> {
	await db()
		.transaction()
		.execute(async (trx) => {
			await lockHideable(trx, member.id)
			const departure = await takeBackDeparture(trx, member.id)
			if (!departure) throw new NotAllowed('This account is not being deleted, or it is too late to keep it.')
			if (departure.hid_profile) await showProfile(trx, member.id)
		})
	await announceAccountChange(member.id)
	await dropPages([everyPage])
	await recordSecurityEvent('came-back', { userId: member.id })
}
