import { type RawBuilder, sql } from 'kysely'
import { isBlocking } from '~/features/members/blocks.queries.server.ts'
import { accountIdsOf } from '~/features/members/pseudonyms.queries.server.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'

/** An SQL condition: whether a member was asked to answer a question, still can, and has neither declined nor written there. */
export function isInvited(userId: number, questionId: number): RawBuilder<boolean> {
	return sql`(exists (select from invitations where question_id = ${questionId} and user_id = ${userId} and told and declined_at is null)
		and exists (select from questions where id = ${questionId} and status = 'published' and locked_at is null)
		and not exists (select from comments c where c.question_id = ${questionId} and c.author_id = ${userId} and c.status = 'published'))`
}

/** Finds a member who can be asked: anybody but an imported author. */
export async function findInvitable(
	trx: Executor,
	username: string,
): Promise<{ id: number; name: string } | undefined> {
	const { rows } = await sql<{ id: number; name: string }>`
		select id, name from users where username = ${username} and not imported`.execute(trx)
	return rows[0]
}

/** Counts the members asked so far, except this one: about a question by a member and by all, and by the member within a day. */
export async function countInvited(
	trx: Executor,
	{ questionId, inviterId, except }: { questionId: number; inviterId: number; except: number },
): Promise<{ byOne: number; byAll: number; aDay: number }> {
	const { rows } = await sql<{ byOne: number; byAll: number; aDay: number }>`
		select
			(select count(*)::int from invitations where question_id = ${questionId} and inviter_id = ${inviterId} and user_id <> ${except}) as "byOne",
			(select count(distinct user_id)::int from invitations where question_id = ${questionId} and user_id <> ${except}) as "byAll",
			(select count(*)::int from invitations where inviter_id = ${inviterId} and invited_at > now() - interval '1 day'
				and not (question_id = ${questionId} and user_id = ${except})) as "aDay"`.execute(trx)
	return rows[0] ?? { byOne: 0, byAll: 0, aDay: 0 }
}

/**
 * Records that a member asked another one. The question must be locked, so that concurrent invitations are serialized.
 * @returns whether to notify them: not if they were notified before, declined, asked the question, wrote there already, one blocks the other,
 * or they are suspended or leaving
 */
export async function writeInvitation(
	trx: Executor,
	{ questionId, userId, inviterId }: { questionId: number; userId: number; inviterId: number },
): Promise<boolean> {
	const { rows } = await sql<{ told: boolean }>`
		insert into invitations (question_id, user_id, inviter_id, told)
		select ${questionId}::int, ${userId}::int, ${inviterId}::int,
			not exists (select from invitations where question_id = ${questionId} and user_id = ${userId} and (told or declined_at is not null))
			and not exists (select from comments where question_id = ${questionId} and author_id = ${userId} and status = 'published')
			and not exists (select from questions where id = ${questionId} and author_id = any(${accountIdsOf(userId)}))
			and not ${isBlocking(userId, inviterId)} and not ${isBlocking(inviterId, userId)}
			and not exists (select from users where id = ${userId} and (leaves_at is not null or suspended_until > now()))
		on conflict do nothing returning told`.execute(trx)
	return rows[0]?.told ?? false
}

/** Records that a member declines to answer a question. */
export async function declineInvitations(userId: number, questionId: number): Promise<void> {
	await sql`update invitations set declined_at = now()
		where question_id = ${questionId} and user_id = ${userId} and declined_at is null`.execute(db())
}

/** The members whom a member asked to answer a question, first one first. */
export async function listInvitedBy(
	inviterId: number,
	questionId: number,
): Promise<{ username: string; name: string; image: string | null }[]> {
	const { rows } = await sql<{ username: string; name: string; image: string | null }>`
		select users.username, users.name, users.image from invitations join users on users.id = user_id
		where question_id = ${questionId} and inviter_id = ${inviterId} order by invited_at`.execute(db())
	return rows
}
