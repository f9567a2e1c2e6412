import { sql } from 'kysely'
import { db } from '~/platform/db/db.server.ts'
import { FORMER_MEMBER, FORMER_NAME, type Leaver } from '~/platform/member-data.ts'

/** Members whose notifications are rewritten in one transaction. */
const AT_ONCE = 200

/**
 * Replaces a member who leaves in others' notifications by “Former member”. Unread ones stay unread.
 * @returns whether there may be more
 */
export async function leaveNotifications({ accounts, name }: Leaver): Promise<boolean> {
	const ids = [...accounts]
	return db()
		.transaction()
		.execute(async (trx) => {
			const { rows } = await sql<{ id: number }>`
				select id from notifications where actor_ids && ${ids}::int[] order by user_id, id limit ${AT_ONCE} for update`.execute(
				trx,
			)
			const found = rows.map(({ id }) => id)
			await sql`
				update notifications set title = case when title = ${name} then ${FORMER_NAME} else title end, actor_ids = array(
					select case when actor = any(${ids}::int[]) then ${FORMER_MEMBER} else actor end as actor
					from unnest(actor_ids) with ordinality as one (actor, place) group by 1 order by min(place))
				where id = any(${found}::int[])`.execute(trx)
			await sql`
				update notification_acts acts set actor_id = ${FORMER_MEMBER}
				where actor_id = any(${ids}::int[]) and notification_id = any(${found}::int[]) and not exists (
					select from notification_acts other where other.notification_id = acts.notification_id
						and other.part_id is not distinct from acts.part_id and other.ctid <> acts.ctid)`.execute(trx)
			return found.length === AT_ONCE
		})
}
