import { sql } from 'kysely'
import {
	isAway,
	openTags,
	type PushJob,
	type Subscription,
	subscriptionColumns,
	wantsPush,
} from '~/features/notifications/push/push.queries.server.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { isRecent } from '~/platform/db/recent.server.ts'

export interface MessagePushRow extends Subscription {
	username: string
	name: string
	unread: number
	/** A stranger wrote who was not answered. */
	pending: boolean
	/** The newest unread message as its reader sees it; null when it is gone. */
	body: string | null
	open: string[]
}

/** Characters of a message that a push or a mail may need, and of its HTML for those. */
const beginning = 400
const MAX_HTML = 4_000

/** The conversation as a browser of one of its members is told; undefined when there is no reason any more to tell it. */
export async function findMessagePush({ subscription, about }: PushJob): Promise<MessagePushRow | undefined> {
	const { rows } = await sql<MessagePushRow>`
		select ${subscriptionColumns}, p.username, p.name, mine.unread, mine.pending, ${openTags} as open,
			(select left(message_words(text_of_html(left(coalesce(m.kept_html, m.html), ${MAX_HTML})), m.pictures), ${beginning}) from messages m
				where m.conversation_id = c.id and m.recipient_id = s.user_id and m.deleted_at is null and m.id > mine.read_id
				order by m.id desc limit 1) as body
		from push_subscriptions s join conversation_members mine on mine.user_id = s.user_id
		join conversations c on c.id = mine.conversation_id
		join users p on p.id = case when c.lower_id = s.user_id then c.higher_id else c.lower_id end
		where s.id = ${subscription} and c.id = ${about} and mine.unread > 0 and not mine.muted
			and not exists (select from blocks where blocker_id = s.user_id and blocked_id = p.id)
			and ${isAway} and ${wantsPush(sql`'message'`)}`.execute(db())
	return rows[0]
}

/** Where the looking for unseen messages has come to, locked until the transaction ends; undefined while another looks. */
export async function lockProgress(trx: Executor): Promise<number | undefined> {
	const { rows } = await sql<{ upto: number }>`select upto from message_mails for update skip locked`.execute(trx)
	return rows[0]?.upto
}

/**
 * The last of the messages after one of them that are all ten minutes old, looking at so many at most. Ids follow the time
 * closely, not exactly: the first one that is younger ends it.
 */
export async function findOld(trx: Executor, after: number, limit: number): Promise<number | undefined> {
	const { rows } = await sql<{ upto: number | null }>`
		with next as (select id, ${isRecent('sent_at', '10 minutes')} as young from messages
			where id > ${after} order by id limit ${limit})
		select max(id) as upto from next where id < coalesce((select min(id) from next where young), 2147483647)`.execute(
		trx,
	)
	return rows[0]?.upto ?? undefined
}

export interface UnseenRow {
	user_id: number
	email: string
	reader: string
	username: string
	name: string
	pending: boolean
	/** Messages that no mail told of. */
	count: number
	body: string
}

/**
 * Takes the conversations with messages between two ids that their reader has not seen and wants to be mailed of, with
 * everything unseen in them, also what is younger; it is taken once. By reader, the newest first.
 */
export async function takeUnseen(trx: Executor, after: number, upto: number): Promise<UnseenRow[]> {
	const { rows } = await sql<UnseenRow>`
		with due as (
			select distinct m.conversation_id, m.recipient_id as user_id, m.sender_id as peer_id, mine.pending,
				greatest(mine.read_id, mailed.message_id) as known
			from messages m
			join conversation_members mine on mine.conversation_id = m.conversation_id and mine.user_id = m.recipient_id
			join users reader on reader.id = m.recipient_id and not reader.imported
				and (reader.suspended_until is null or reader.suspended_until <= now())
			left join mailed_messages mailed on mailed.conversation_id = m.conversation_id and mailed.user_id = m.recipient_id
			left join notification_boxes box on box.user_id = m.recipient_id
			left join notification_preferences chosen on chosen.user_id = m.recipient_id and chosen.kind = 'message'
			where m.id > ${after} and m.id <= ${upto} and m.deleted_at is null
				and m.id > greatest(mine.read_id, mailed.message_id) and not mine.muted
				and coalesce(box.mail, 'daily') <> 'off' and coalesce(chosen.mail, true)
				and not exists (select from blocks where blocker_id = m.recipient_id and blocked_id = m.sender_id)),
		taken as (
			select due.*, unseen.count, unseen.newest from due, lateral (
				select count(*)::int as count, max(m.id) as newest from messages m
				where m.conversation_id = due.conversation_id and m.recipient_id = due.user_id and m.id > due.known
					and m.deleted_at is null) unseen),
		noted as (
			insert into mailed_messages (conversation_id, user_id, message_id) select conversation_id, user_id, newest from taken
			on conflict (conversation_id, user_id) do update set message_id = excluded.message_id)
		select taken.user_id, reader.email, reader.name as reader, p.username, p.name, taken.pending, taken.count,
			left(message_words(text_of_html(left(coalesce(m.kept_html, m.html), ${MAX_HTML})), m.pictures), ${beginning}) as body
		from taken join users reader on reader.id = taken.user_id join users p on p.id = taken.peer_id
		join messages m on m.id = taken.newest
		order by taken.user_id, taken.newest desc`.execute(trx)
	return rows
}

/** Notes how far the looking has come. */
export async function writeProgress(trx: Executor, upto: number): Promise<void> {
	await sql`update message_mails set upto = ${upto}`.execute(trx)
}
