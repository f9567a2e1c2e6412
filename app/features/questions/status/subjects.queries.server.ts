import { sql } from 'kysely'
import { suspendedUntil } from '~/features/accounts/security/suspension.queries.server.ts'
import { limits } from '~/features/moderation/moderation.limits.ts'
import type { TargetKind } from '~/features/moderation/moderation.policy.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { printOf } from './status.queries.server.ts'

/** Something that can be judged, with its context, whatever became of it. */
export interface TargetRow {
	kind: TargetKind
	target_id: number
	/** Null of a profile. */
	query_id: number | null
	title: string | null
	html: string | null
	/** The beginning of the text as it was written. */
	beginning: string | null
	/** Of the text as it is; '' of a profile. */
	print: string
	created_at: string
	gone: boolean
	/** Whether the query around a comment is out of the forum, too. */
	query_gone: boolean | null
	withheld: 'hidden' | 'waiting' | 'merged' | null
	withheld_reason: string
	locked: boolean | null
	/** Facts of the query's address. */
	query_author_id: number | null
	query_username: string | null
	category_slug: string | null
	tags: string[] | null
	author_id: number
	author_role: SignedIn['role']
	username: string
	name: string
	image: string | null
	suspended_until: string | null
	/** Whether the author is an account that only stands for an imported text. */
	imported: boolean
}

export interface CaseRow extends TargetRow {
	/** 0 where there is no case. */
	case_id: number
	report_count: number
	waits: boolean
	open: boolean
	/** With microseconds, for a cursor. */
	active_at: string
}

/** The columns and joins of {@link TargetRow} for rows of (kind, target_id) called `t`. */
const columns = sql`
	t.kind, t.target_id, q.id as query_id, q.title, coalesce(m.body_html, case t.kind when 'query' then q.description_html end) as html,
	left(coalesce(m.body, case t.kind when 'query' then q.description end), ${limits.beginning}) as beginning,
	case t.kind when 'query' then ${printOf.query('q')} when 'comment' then ${printOf.comment('m')} else '' end as print,
	to_char(coalesce(m.created_at, case t.kind when 'query' then q.created_at end, u.created_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as created_at,
	case t.kind when 'comment' then m.deleted_at is not null when 'query' then q.deleted_at is not null else false end as gone,
	q.deleted_at is not null as query_gone,
	case t.kind when 'comment' then m.withheld when 'query' then q.withheld when 'profile' then case when pr.hidden_at is not null then 'hidden' end end as withheld,
	case t.kind when 'comment' then m.withheld_reason when 'query' then q.withheld_reason else coalesce(pr.hidden_reason, '') end as withheld_reason,
	q.locked_at is not null as locked, q.author_id as query_author_id, qu.username as query_username, c.slug as category_slug, q.tags,
	u.id as author_id, u.role as author_role, u.username, u.name, u.image, ${suspendedUntil('u')} as suspended_until, u.imported`
const joins = sql`
	left join comments m on t.kind = 'comment' and m.id = t.target_id
	left join queries q on q.id = case t.kind when 'query' then t.target_id when 'comment' then m.query_id end
	left join users qu on qu.id = q.author_id
	left join categories c on c.id = q.category_id
	join users u on u.id = case t.kind when 'profile' then t.target_id when 'comment' then m.author_id else q.author_id end
	left join profiles pr on t.kind = 'profile' and pr.user_id = u.id`

/** One thing that can be judged, with its case if there ever was one. */
export async function findTarget(kind: TargetKind, id: number): Promise<CaseRow | undefined> {
	const { rows } = await sql<CaseRow>`
		select ${columns}, coalesce(k.id, 0) as case_id, coalesce(k.report_count, 0) as report_count, coalesce(k.waits, false) as waits,
			k.id is not null and k.closed_at is null as open, to_char(k.active_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as active_at
		from (values (${kind}::text, ${id}::int)) as t (kind, target_id) ${joins}
		left join cases k on k.kind = t.kind and k.target_id = t.target_id`.execute(db())
	return rows[0]
}

export type QueueOrder = 'newest' | 'reported'

/** One page of the open cases: one range of one index. */
export async function listCaseRows(
	order: QueueOrder,
	after: { key: string | number; id: number } | null,
	limit: number,
): Promise<CaseRow[]> {
	const by = sql.raw(order === 'newest' ? 'active_at' : 'report_count')
	const type = sql.raw(order === 'newest' ? 'timestamptz' : 'int')
	const { rows } = await sql<CaseRow>`
		select ${columns}, t.id as case_id, t.report_count, t.waits, true as open,
			to_char(t.active_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as active_at
		from (select * from cases where closed_at is null
			${after ? sql`and (${by}, id) < (${after.key}::${type}, ${after.id})` : sql``}
			order by ${by} desc, id desc limit ${limit}) t ${joins}
		order by t.${by} desc, t.id desc`.execute(db())
	return rows
}

/** The number of a member, by name. */
export async function findMemberId(username: string): Promise<number | undefined> {
	const user = await db().selectFrom('users').select('id').where('username', '=', username).executeTakeFirst()
	return user?.id
}
