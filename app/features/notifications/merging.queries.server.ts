import { sql } from 'kysely'
import type { Executor } from '~/platform/db/db.server.ts'
import type { Merge } from '~/platform/member-data.ts'

/**
 * Moves the notifications of a merged account to the kept one, and replaces it as actor. Notifications between the two accounts are
 * removed, as nobody is notified of their own actions; those about a pseudonym stay.
 */
export async function mergeNotifications(trx: Executor, merge: Merge): Promise<void> {
	const { goneId, keptId } = merge
	await sql`
		insert into notification_boxes (user_id) select id from users where id in (${goneId}, ${keptId}) order by id
		on conflict (user_id) do update set unread = notification_boxes.unread`.execute(trx)
	await removeOwnActs(trx, merge)
	await sql`
		update notifications theirs set read_at = now(), seen_at = coalesce(seen_at, now())
		where user_id = ${goneId} and read_at is null and exists (select from notifications other
			where other.user_id = ${keptId} and other.group_key = theirs.group_key and other.read_at is null)`.execute(trx)
	await sql`update notifications set user_id = ${keptId} where user_id = ${goneId}`.execute(trx)
	await sql`
		update notifications set actor_ids = array(
			select case when actor = ${goneId} then ${keptId} else actor end as actor
			from unnest(actor_ids) with ordinality as one (actor, place) group by 1 order by min(place))
		where ${goneId} = any(actor_ids)`.execute(trx)
	await sql`update notification_acts set actor_id = ${keptId} where actor_id = ${goneId}`.execute(trx)
	await joinBoxes(trx, merge)
}

/** Removes both accounts as actors of each other's notifications; an empty group is deleted. */
async function removeOwnActs(trx: Executor, { goneId, keptId }: Merge): Promise<void> {
	const both = sql`array[${goneId}, ${keptId}]::int[]`
	const ofBoth = sql`user_id = any(${both}) and actor_ids && ${both}`
	await sql`delete from notifications where ${ofBoth} and actor_ids <@ ${both}`.execute(trx)
	await sql`
		with gone as (
			delete from notification_acts where actor_id = any(${both})
				and notification_id in (select id from notifications where ${ofBoth}) returning notification_id)
		update notifications n set actor_ids = array(
				select actor from unnest(actor_ids) with ordinality as one (actor, place) where actor <> all(${both}) order by place),
			count = greatest(1, count - (select count(*) from gone where gone.notification_id = n.id))
		where ${ofBoth}`.execute(trx)
}

/** The settings of the kept account apply. A mail that is due for either account is sent, unless they are off, and a day after the last one. */
async function joinBoxes(trx: Executor, { goneId, keptId }: Merge): Promise<void> {
	const dueAt = sql`least(box.mail_due_at, other.mail_due_at)`
	await sql`
		update notification_boxes box set mail_due_at = case when box.mail <> 'off' and ${dueAt} is not null
				then greatest(${dueAt}, box.mailed_at + interval '1 day', other.mailed_at + interval '1 day') end,
			mailed_at = greatest(box.mailed_at, other.mailed_at), unread = (
				select count(*) from notifications where user_id = ${keptId} and on_site and read_at is null)
		from notification_boxes other where box.user_id = ${keptId} and other.user_id = ${goneId}`.execute(trx)
	await sql`delete from notification_boxes where user_id = ${goneId}`.execute(trx)
}
