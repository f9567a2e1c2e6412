import { sql } from 'kysely'
import { db } from '~/platform/db/db.server.ts'

/**
 * Stores an event of a member's account.
 * @param atMostOnceAMinute drops an event of a kind that was already stored within the last minute, so that a program
 * that keeps being refused cannot fill the table
 */
export async function insertSecurityEvent(
	event: { userId: number; kind: string; requestId: string; device: string },
	atMostOnceAMinute: boolean,
): Promise<void> {
	const { userId, kind, requestId, device } = event
	await sql`insert into security_events (user_id, kind, request_id, device)
		select id, ${kind}, ${requestId}, ${device} from users
		where id = ${userId} and not (${atMostOnceAMinute} and exists (
			select 1 from security_events
			where user_id = ${userId} and kind = ${kind} and at > now() - interval '1 minute'
		))`.execute(db())
}

/** The newest events of a member's account. */
export function listSecurityEventRows(
	userId: number,
	limit: number,
): Promise<{ id: string; kind: string; device: string; at: Date }[]> {
	return db()
		.selectFrom('security_events')
		.select(['id', 'kind', 'device', 'at'])
		.where('user_id', '=', userId)
		.orderBy('id', 'desc')
		.limit(limit)
		.execute()
}

/** Deletes the oldest events of each member who has more than `perMember`. */
export async function deleteSurplusEvents(perMember: number): Promise<void> {
	// Only members with new events since the last sweeps can have too many.
	await sql`
		delete from security_events where id in (
			select id from (
				select id, row_number() over (partition by user_id order by id desc) as place
				from security_events
				where user_id in (select user_id from security_events where at > now() - interval '2 days')
			) numbered
			where place > ${perMember}
		)`.execute(db())
}
