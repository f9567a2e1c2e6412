import { lockMember } from '~/features/accounts/accounts.queries.server.ts'
import { requireMayWrite } from '~/features/accounts/security/suspension.server.ts'
import { resolveUsername } from '~/features/identity/usernames/former-names.server.ts'
import type { NotificationKind, NotificationKindName } from '~/features/notifications/kinds.server.ts'
import { announceUnread, notifyOfFact } from '~/features/notifications/notifications.server.ts'
import { aboutQuestion } from '~/features/questions/notifying/notifying.server.ts'
import { eventQuestion, shownActor } from '~/features/questions/questions.events.ts'
import { requireQuestion } from '~/features/questions/questions.server.ts'
import { lockedMessage } from '~/features/questions/status/posting-rules.server.ts'
import { lockQuestion } from '~/features/questions/writing/writing.queries.server.ts'
import { countUse } from '~/features/rate-limits/rate-limits.server.ts'
import { Invalid, NoSuch, NotAllowed, NotFound } from '~/lib/errors.ts'
import { requireSignedIn, type Viewer } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import {
	countInvited,
	declineInvitations,
	findInvitable,
	listInvitedBy,
	writeInvitation,
} from './invitations.queries.server.ts'
import { MAX_INVITED } from './upkeep.view.ts'

/*
 * Members ask others to answer a question. The asking member is not told whether they were notified, as that would reveal blocks,
 * refusals and suspensions.
 */

declare module '~/features/notifications/kinds.server.ts' {
	interface NotificationKinds {
		invitation: never
	}
}

export const invitationKinds = {
	invitation: { label: 'Somebody asks me to answer a query', order: 35, words: 'asks you to answer' },
} as const satisfies Partial<Record<NotificationKindName, NotificationKind>>

/** The question on the page where a member asks somebody, and whom they have asked. @throws NotAllowed, NotFound */
export async function getInvitations(viewer: Viewer, questionId: number) {
	const member = requireSignedIn(viewer)
	const row = await requireQuestion(questionId)
	const { id, title, url } = eventQuestion(row)
	return { question: { id, title, url }, invited: await listInvitedBy(member.id, questionId) }
}

/**
 * Asks a member to answer a question. Nobody is notified twice, and members who declined, block the viewer, asked the question, are
 * suspended or leave are not notified; the response is the same.
 * @param username of the member to ask, in any case
 * @returns their name, and the path of the question
 * @throws NotAllowed for a visitor, a suspended member and a locked question; NotFound without such a question or member; Invalid for
 * oneself and if too many were asked; TooManyRequests
 */
export async function inviteToAnswer(
	viewer: Viewer,
	questionId: number,
	username: string,
): Promise<{ name: string; url: string }> {
	const member = requireSignedIn(viewer)
	await countUse('toggles', member)
	await requireMayWrite(member.id)
	const row = await requireQuestion(questionId)
	if (row.locked) throw new NotAllowed(lockedMessage)
	const question = eventQuestion(row)
	const current = await resolveUsername(username)
	const { notified, name } = await db()
		.transaction()
		.execute(async (trx) => {
			if (!(await lockQuestion(trx, questionId))) throw new NoSuch('query')
			await lockMember(trx, member.id)
			// Only now, as the account may be deleted or merged meanwhile.
			const invitee = await findInvitable(trx, current)
			if (!invitee) throw new NotFound('There is no such member.')
			if (invitee.id === member.id) throw new Invalid('You can answer this yourself, without being asked.')
			const { name } = invitee
			const { byOne, byAll, aDay } = await countInvited(trx, { questionId, inviterId: member.id, except: invitee.id })
			if (byOne >= MAX_INVITED.byOne) throw new Invalid(`You have asked ${MAX_INVITED.byOne} members to answer this.`)
			if (byAll >= MAX_INVITED.byAll) throw new Invalid('Enough members have been asked to answer this.')
			if (aDay >= MAX_INVITED.aDay)
				throw new Invalid(`You have asked ${MAX_INVITED.aDay} members today. Ask others tomorrow.`)
			const invitation = { questionId, userId: invitee.id, inviterId: member.id }
			if (!(await writeInvitation(trx, invitation))) return { notified: [], name }
			const about = { kind: 'invitation' as const, memberIds: [invitee.id], group: `query:${questionId}` }
			const actorId = shownActor({ question, actorId: member.id })
			return { notified: await notifyOfFact(trx, { ...about, actorId, ...aboutQuestion(question, null) }), name }
		})
	await announceUnread(notified)
	return { name, url: question.url }
}

/** Declines to answer a question: nobody can ask the viewer again. Idempotent. @throws NotAllowed for a visitor, NotFound, TooManyRequests */
export async function declineToAnswer(viewer: Viewer, questionId: number): Promise<{ url: string }> {
	const member = requireSignedIn(viewer)
	await countUse('toggles', member)
	const question = eventQuestion(await requireQuestion(questionId))
	await declineInvitations(member.id, questionId)
	return { url: question.url }
}
