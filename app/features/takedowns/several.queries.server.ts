import { sql } from 'kysely'
import type { ModeratedMemberRow } from '~/features/moderation/members.queries.server.ts'
import { db, idArray } from '~/platform/db/db.server.ts'
import { isoSeconds } from '~/platform/db/sql-text.server.ts'
import type { TakedownState } from './takedowns.view.ts'

/** The members of these names, present or former, each once; accounts of imported authors are left out. @param names in lower case */
export async function listMembersOfNames(names: string[]): Promise<(ModeratedMemberRow & { typed: string[] })[]> {
	const { rows } = await sql<ModeratedMemberRow & { typed: string[] }>`
		select users.id, users.role, users.username, users.name, users.image, array_agg(usernames.username) as typed
		from usernames join users on users.id = usernames.user_id
		where usernames.username = any(${names}::text[]) and not users.imported
		group by users.id order by users.username`.execute(db())
	return rows
}

export interface LastTakedownRow {
	id: number
	member_id: number
	at: string
	actor: string
	reason: string
	state: TakedownState
}

/** The newest takedown of each of these members that has one. */
export async function listLastTakedowns(memberIds: number[]): Promise<LastTakedownRow[]> {
	const { rows } = await sql<LastTakedownRow>`
		select distinct on (t.member_id) t.id, t.member_id, a.username as actor, t.reason, t.state,
			${isoSeconds('t.posted_until')} as at
		from takedowns t join users a on a.id = t.actor_id
		where t.member_id = any(${idArray(memberIds)}) order by t.member_id, t.id desc`.execute(db())
	return rows
}
