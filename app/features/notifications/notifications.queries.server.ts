import { sql } from 'kysely'
import { db } from '~/platform/db/db.server.ts'
import type { TimeCursor } from '~/platform/http/cursors.ts'

export interface NoticeRow {
	id: number
	kind: string
	act: string
	reason: string
	people: number
	title: string
	url: string
	/** ISO 8601 with microseconds. */
	updated_at: string
	unread: boolean
	username: string | null
	name: string | null
	image: string | null
}

const noticeColumns = sql`notifications.id, kind, act, reason, cardinality(actor_ids) as people, title, url,
	to_json(notifications.updated_at) #>> '{}' as updated_at, read_at is null as unread, users.username, users.name, users.image`

/** A member's notices on the site, the newest first. */
export async function listRows(
	userId: number,
	{ unread, cursor, limit }: { unread: boolean; cursor: TimeCursor | null; limit: number },
): Promise<NoticeRow[]> {
	const { rows } = await sql<NoticeRow>`
		select ${noticeColumns} from notifications left join users on users.id = actor_ids[1]
		where user_id = ${userId} and on_site ${unread ? sql`and read_at is null` : sql``}
			${cursor ? sql`and (notifications.updated_at, notifications.id) < (${cursor.at}::timestamptz, ${cursor.id})` : sql``}
		order by notifications.updated_at desc, notifications.id desc limit ${limit}`.execute(db())
	return rows
}

/** How many of each member's notices are unread; of who has never been told anything there is none. */
export async function readUnreadOf(userIds: number[]): Promise<{ userId: number; unread: number }[]> {
	const { rows } = await sql<{ userId: number; unread: number }>`
		select user_id as "userId", unread from notification_boxes where user_id = any(${userIds}::int[])`.execute(db())
	return rows
}

/** How a member stands to a query: whether they muted it, and whether notices about it wait. */
export async function findThread(userId: number, questionId: number): Promise<{ muted: boolean; waiting: boolean }> {
	const { rows } = await sql<{ muted: boolean; waiting: boolean }>`select
		exists (select from muted_threads where user_id = ${userId} and question_id = ${questionId}) as muted,
		exists (select from notifications where question_id = ${questionId} and user_id = ${userId} and read_at is null) as waiting`.execute(
		db(),
	)
	return rows[0] ?? { muted: false, waiting: false }
}
