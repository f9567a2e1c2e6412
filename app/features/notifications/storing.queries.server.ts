import { sql } from 'kysely'
import { isBlocking } from '~/features/members/blocks.queries.server.ts'
import type { Executor } from '~/platform/db/db.server.ts'
import type { Subject } from './notifications.view.ts'

/* Storing one notification for several members. */

/** A notified member, with the kind, and the group of notifications that it joins until that is read. */
interface Recipient {
	userId: number
	kind: string
	groupKey: string
}

/** The common values of all notifications of an event. */
interface NotificationValues {
	actorIds: number[]
	act: string
	reason: string
	subject: Pick<Subject, 'type' | 'id' | 'title'>
	/** The part of the subject; null for the subject itself. */
	partId: number | null
	url: string
}

/** A notified member, with their notification. */
export interface NotifiedRow {
	user_id: number
	notification_id: number
	/** Whether they want pushes of this kind, and have a subscribed browser. */
	push: boolean
	/** The number of their unread notifications, including this one. */
	unread: number
}

/** How long a member has to see something on the site before it is mailed. */
const mailAfter = sql.raw("interval '1 hour'")
const mailEvery = sql.raw("interval '1 day'")

/**
 * Adds a notification to the open group of each of these members, or starts one, and counts it; their boxes are locked already.
 * Each member occurs once. Those who blocked the actor while this waited for the lock are left out.
 * @returns who was notified
 */
export async function addNotifications(
	trx: Executor,
	recipients: readonly Recipient[],
	notification: NotificationValues,
): Promise<NotifiedRow[]> {
	if (recipients.length === 0) return []
	const ids = recipients.map(({ userId }) => userId)
	const kinds = recipients.map(({ kind }) => kind)
	const groups = recipients.map(({ groupKey }) => groupKey)
	const { rows } = await sql<NotifiedRow>`
		with wanted as (
			select person as user_id, told.kind, group_key, coalesce(site, true) as site, coalesce(mail, true) as mail,
				coalesce(push, true) and exists (select from push_subscriptions where push_subscriptions.user_id = person) as push
			from unnest(${ids}::int[], ${kinds}::text[], ${groups}::text[]) as told (person, kind, group_key)
			left join notification_preferences preferences on preferences.user_id = person and preferences.kind = told.kind
			where not ${isBlocking(sql.ref('person'), sql`any(${notification.actorIds}::int[])`)}
		), before as (
			select notifications.user_id, notifications.on_site from notifications join wanted using (user_id, group_key) where read_at is null
		), notified as (
			insert into notifications (user_id, kind, group_key, actor_ids, act, reason, subject_type, subject_id, part_id, title, url, on_site, by_mail)
			select user_id, kind, group_key, ${notification.actorIds}::int[], ${notification.act}, ${notification.reason}, ${notification.subject.type},
				${notification.subject.id}::int, ${notification.partId}::int, ${notification.subject.title}, ${notification.url}, site, mail
			from wanted where site or mail or push
			on conflict (user_id, group_key) where read_at is null do update set
				actor_ids = (excluded.actor_ids || array_remove(notifications.actor_ids, excluded.actor_ids[1]))[1:50],
				act = excluded.act, reason = excluded.reason, by_mail = excluded.by_mail,
				on_site = notifications.on_site or excluded.on_site,
				count = notifications.count + 1, title = excluded.title, updated_at = now(), seen_at = null, mailed_at = null
			returning id, user_id, on_site, by_mail
		), acts as (
			insert into notification_acts (notification_id, part_id, actor_id, url)
			select id, ${notification.partId}::int, actor, ${notification.url} from notified, unnest(${notification.actorIds}::int[]) as actor on conflict do nothing
		)
		update notification_boxes set
			unread = unread + (notified.on_site
				and not coalesce((select on_site from before where before.user_id = notified.user_id), false))::int,
			mail_due_at = case when notified.by_mail and mail <> 'off'
				then coalesce(mail_due_at, greatest(now() + ${mailAfter}, mailed_at + ${mailEvery})) else mail_due_at end
		from notified where notified.user_id = notification_boxes.user_id
		returning notification_boxes.user_id, notified.id as notification_id,
			(select push from wanted where wanted.user_id = notified.user_id) as push, notification_boxes.unread`.execute(trx)
	return rows
}
