import { type RawBuilder, sql } from 'kysely'
import type { ModeratedMemberRow } from '~/features/moderation/members.queries.server.ts'
import type { StandingState } from '~/features/questions/status/takedown.server.ts'
import { db, type Executor, idArray } from '~/platform/db/db.server.ts'
import { isoSeconds } from '~/platform/db/times.server.ts'
import type { Merge } from '~/platform/member-data.ts'
import type { ItemCounts, ItemKind, TakedownState } from './takedowns.view.ts'

/** A takedown: it hides everything that an account published within a time. */
export interface TakedownRow {
	id: number
	member_id: number
	actor_id: number
	reason: string
	/** With microseconds; null for everything. */
	posted_from: string | null
	posted_until: string
	state: TakedownState
	undone_by: number | null
}

const columns = sql`id, member_id, actor_id, reason, posted_from::text, posted_until::text, state, undone_by`

/** Starts a takedown; the member's row must be locked. @returns its id; undefined while another one of this member is in progress */
export async function insertTakedown(
	trx: Executor,
	made: { memberId: number; actorId: number; reason: string; from: string | null },
): Promise<number | undefined> {
	const { memberId, actorId, reason, from } = made
	const { rows } = await sql<{ id: number }>`
		insert into takedowns (member_id, actor_id, reason, posted_from) values (${memberId}, ${actorId}, ${reason}, ${from}::timestamptz)
		on conflict (member_id) where state in ('running', 'undoing') do nothing returning id`.execute(trx)
	return rows[0]?.id
}

/** Records the end of the suspension that was part of the takedown. */
export async function recordSuspension(trx: Executor, id: number): Promise<void> {
	await sql`
		update takedowns set suspended_to = users.suspended_until from users
		where takedowns.id = ${id} and users.id = member_id`.execute(trx)
}

/** Finds a takedown by id. */
export async function findTakedown(id: number): Promise<TakedownRow | undefined> {
	const { rows } = await sql<TakedownRow>`select ${columns} from takedowns where id = ${id}`.execute(db())
	return rows[0]
}

/** Locks a takedown until the transaction ends. */
export async function lockTakedown(trx: Executor, id: number): Promise<void> {
	await sql`select from takedowns where id = ${id} for no key update`.execute(trx)
}

/** Starts undoing a finished takedown. @returns whether it did, and whether the suspension is still that of the takedown */
export async function beginUndo(
	trx: Executor,
	id: number,
	actorId: number,
): Promise<{ memberId: number; isSuspendedByIt: boolean } | undefined> {
	const { rows } = await sql<{ memberId: number; isSuspendedByIt: boolean }>`
		update takedowns set state = 'undoing', undone_by = ${actorId}, undone_at = clock_timestamp() from users
		where takedowns.id = ${id} and state = 'done' and users.id = member_id
			and not exists (select from takedowns other where other.member_id = takedowns.member_id and other.state in ('running', 'undoing'))
		returning member_id as "memberId",
			coalesce(takedowns.suspended_to = users.suspended_until, false) and takedowns.reason = users.suspended_reason as "isSuspendedByIt"`.execute(
		trx,
	)
	return rows[0]
}

/** Completes a takedown or its undoing, with the numbers of hidden and restored items by kind. */
export async function finish(id: number, from: 'running' | 'undoing'): Promise<void> {
	await sql`
		update takedowns set state = ${from === 'running' ? 'done' : 'undone'}, counts = (
			select coalesce(jsonb_object_agg(kind, jsonb_build_array(hidden, restored)), '{}') from (
				select kind, count(*) as hidden, count(*) filter (where restored) as restored
				from takedown_items where takedown_id = ${id} group by kind) counted)
		where id = ${id} and state = ${from}`.execute(db())
}

export interface PastTakedownRow {
	id: number
	at: string
	actor: string
	reason: string
	posted_from: string | null
	suspended: boolean
	state: TakedownState
	counts: Partial<Record<ItemKind, [hidden: number, restored: number]>>
	/** The progress, in items. */
	so_far: number
}

/** A member's takedowns, newest first. */
export async function listTakedowns(memberId: number, limit: number): Promise<PastTakedownRow[]> {
	const { rows } = await sql<PastTakedownRow>`
		select t.id, ${isoSeconds('t.posted_until')} as at, a.username as actor, t.reason, ${isoSeconds('t.posted_from')} as posted_from,
			t.suspended_to is not null as suspended, t.state, t.counts,
			case when t.state in ('running', 'undoing') then (
				select count(*)::int from takedown_items where takedown_id = t.id and restored = (t.state = 'undoing')) else 0 end as so_far
		from takedowns t join users a on a.id = t.actor_id where t.member_id = ${memberId} order by t.id desc limit ${limit}`.execute(
		db(),
	)
	return rows
}

/* What a takedown would hide. Posts under a pseudonym are excluded, as hiding them too would reveal the author. */

/* A merged question can still be read. */
const isStanding = sql`status in ('published', 'pending', 'merged')`

/** Counts what each of these accounts has published since a time that is not hidden; null for everything. */
export async function countPublished(
	memberIds: number[],
	from: string | null,
): Promise<Map<number, Omit<ItemCounts, 'profile'>>> {
	const since = (column: string) => (from === null ? sql`` : sql`and ${sql.ref(column)} >= ${from}::timestamptz`)
	const { rows } = await sql<Omit<ItemCounts, 'profile'> & { id: number }>`select member.id,
		(select count(*)::int from questions where author_id = member.id and ${isStanding} ${since('created_at')}) as query,
		(select count(*)::int from comments where author_id = member.id and ${isStanding} ${since('created_at')}) as comment,
		(select count(*)::int from question_votes where user_id = member.id ${since('voted_at')}) as "question-vote",
		(select count(*)::int from comment_votes where user_id = member.id ${since('voted_at')}) as "comment-vote",
		(select count(*)::int from (${openRequests(sql.ref('member.id'))}) r where true ${since('r.created_at')}) as request
		from unnest(${idArray(memberIds)}) as member (id)`.execute(db())
	return new Map(rows.map(({ id, ...counts }) => [id, counts]))
}

/** Requests by an account that were neither answered nor accepted. */
const openRequests = (memberId: number | RawBuilder<unknown>) => sql`
	select c.id, c.created_at, peer.user_id as peer_id from conversations c
	join conversation_members peer on peer.conversation_id = c.id and peer.user_id <> c.started_by
	where c.started_by = ${memberId} and peer.pending and peer.last_message_id is not null`

const within = (column: string, { posted_from, posted_until }: TakedownRow) => sql`
	${sql.ref(column)} <= ${posted_until}::timestamptz and (${posted_from}::timestamptz is null or ${sql.ref(column)} >= ${posted_from}::timestamptz)`

/**
 * Whether a takedown has hidden this already. If it is visible nevertheless, it was restored since, and a takedown that goes on after an
 * interruption leaves it so.
 */
const isItem = (takedownId: number, kind: ItemKind, target: RawBuilder<unknown>) => sql<boolean>`
	exists (select from takedown_items where takedown_id = ${takedownId} and kind = ${kind} and target_id = ${target})`

/** Whether a takedown has hidden this profile already, see {@link isItem}. */
export async function hasHiddenProfile(trx: Executor, takedownId: number, memberId: number): Promise<boolean> {
	const { rows } = await sql<{ hidden: boolean }>`
		select ${isItem(takedownId, 'profile', sql`${memberId}`)} as hidden`.execute(trx)
	return rows[0]?.hidden === true
}

/** The next posts to hide or requests to withdraw, newest first, with ids below `before`. */
export async function listNext(
	takedown: TakedownRow,
	kind: 'query' | 'comment' | 'request',
	before: number,
	limit: number,
): Promise<number[]> {
	const { id, member_id: memberId } = takedown
	const source =
		kind === 'request'
			? sql`(${openRequests(memberId)}) found where true`
			: sql`${sql.table(kind === 'query' ? 'questions' : 'comments')} found where author_id = ${memberId} and ${isStanding}`
	const { rows } = await sql<{ id: number }>`
		select id from ${source} and id < ${before} and ${within('created_at', takedown)}
			and not ${isItem(id, kind, sql.ref('found.id'))} order by id desc limit ${limit}`.execute(db())
	return rows.map(({ id }) => id)
}

/** Records a hidden item, in the transaction that hides it. @param before its previous state; the time of hiding is added as `at` */
export async function insertItem(
	trx: Executor,
	takedownId: number,
	{ kind, id, before }: { kind: ItemKind; id: number; before: Record<string, unknown> },
): Promise<void> {
	await sql`
		insert into takedown_items (takedown_id, kind, target_id, before)
		values (${takedownId}, ${kind}, ${id}, ${JSON.stringify(before)}::jsonb || jsonb_build_object('at', now()))`.execute(
		trx,
	)
}

/** {@link insertItem} for comments hidden in this transaction, with their previous status. */
export async function insertTakedownComments(
	trx: Executor,
	takedownId: number,
	comments: readonly { id: number; status: string }[],
): Promise<void> {
	const [ids, statuses] = [comments.map(({ id }) => id), comments.map(({ status }) => status)]
	await sql`
		insert into takedown_items (takedown_id, kind, target_id, before)
		select ${takedownId}, 'comment', id, jsonb_build_object('status', status, 'at', now())
		from unnest(${ids}::int[], ${statuses}::text[]) as hidden (id, status)`.execute(trx)
}

const votesOn = {
	'question-vote': { table: sql.table('question_votes'), post: sql.ref('question_id'), posts: sql.table('questions') },
	'comment-vote': { table: sql.table('comment_votes'), post: sql.ref('comment_id'), posts: sql.table('comments') },
}
export type VoteKind = keyof typeof votesOn

/** Removes a batch of votes in the order of posts; triggers update the scores. @returns the questions and the number of votes */
export async function removeVotes(
	trx: Executor,
	takedown: TakedownRow,
	kind: VoteKind,
	limit: number,
): Promise<{ questions: number[]; count: number }> {
	const { table, post } = votesOn[kind]
	const { rows } = await sql<{ id: number; question: number }>`
		with chosen as (
			select user_id, ${post} as id from ${table} where user_id = ${takedown.member_id} and ${within('voted_at', takedown)}
			order by ${post} limit ${limit}),
		gone as (
			delete from ${table} votes using chosen where votes.user_id = chosen.user_id and votes.${post} = chosen.id
			returning votes.${post} as id, votes.value, votes.voted_at),
		noted as (
			insert into takedown_items (takedown_id, kind, target_id, before)
			select ${takedown.id}, ${kind}, id, jsonb_build_object('value', value, 'voted_at', voted_at) from gone)
		select gone.id, ${kind === 'question-vote' ? sql`gone.id` : sql`(select question_id from comments where id = gone.id)`} as question from gone`.execute(
		trx,
	)
	return { questions: [...new Set(rows.map(({ question }) => question))], count: rows.length }
}

/**
 * Restores a batch of votes, unless the member has voted again, or the post is gone or has become theirs by a merge of accounts.
 * @returns as {@link removeVotes}
 */
export async function restoreVotes(
	trx: Executor,
	takedown: TakedownRow,
	kind: VoteKind,
	limit: number,
): Promise<{ questions: number[]; count: number }> {
	const { table, post, posts } = votesOn[kind]
	const { rows } = await sql<{ question: number | null }>`
		with chosen as (
			update takedown_items set restored = true where (takedown_id, kind, target_id) in (
				select takedown_id, kind, target_id from takedown_items
				where takedown_id = ${takedown.id} and kind = ${kind} and not restored order by target_id limit ${limit} for update)
			returning target_id, before),
		back as (
			insert into ${table} (user_id, ${post}, value, voted_at)
			select ${takedown.member_id}, target_id, (before ->> 'value')::smallint, (before ->> 'voted_at')::timestamptz
			from chosen join ${posts} posts on posts.id = target_id
			where posts.author_id <> ${takedown.member_id} order by target_id
			on conflict do nothing)
		select ${kind === 'question-vote' ? sql`target_id` : sql`(select question_id from comments where id = target_id)`} as question from chosen`.execute(
		trx,
	)
	return { questions: [...new Set(rows.flatMap(({ question }) => question ?? []))], count: rows.length }
}

export interface ItemRow {
	target_id: number
	/** The previous state of a post; for a request, the messages that its recipient could read. */
	before: { at: string; messages?: number[] } & Partial<StandingState>
}

/** The items of a kind that are not restored yet, in the order of ids after `after`. */
export async function listItems(takedownId: number, kind: ItemKind, after: number, limit: number): Promise<ItemRow[]> {
	const { rows } = await sql<ItemRow>`
		select target_id, before from takedown_items
		where takedown_id = ${takedownId} and kind = ${kind} and not restored and target_id > ${after}
		order by target_id limit ${limit}`.execute(db())
	return rows
}

/** Marks an item as restored, if it is still as the takedown left it. @param since when its row says it was hidden */
export async function claimItem(
	trx: Executor,
	takedownId: number,
	{ kind, id, since }: { kind: ItemKind; id: number; since: string | null },
): Promise<boolean> {
	const { rows } = await sql`
		update takedown_items set restored = true
		where takedown_id = ${takedownId} and kind = ${kind} and target_id = ${id} and not restored
			and (before ->> 'at')::timestamptz = ${since}::timestamptz returning 1`.execute(trx)
	return rows.length > 0
}

/** When a locked post got its status. */
export async function findStatusAt(trx: Executor, kind: 'query' | 'comment', id: number): Promise<string | null> {
	const { rows } = await sql<{ at: string | null }>`
		select status_at::text as at from ${sql.table(kind === 'query' ? 'questions' : 'comments')} where id = ${id}`.execute(
		trx,
	)
	return rows[0]?.at ?? null
}

/** Removes a locked request from its recipient's inbox. @returns what they could read; undefined if it was answered meanwhile */
export async function withdrawRequest(
	trx: Executor,
	id: number,
	memberId: number,
): Promise<{ messages: number[] } | undefined> {
	const { rows } = await sql<{ peer: number }>`
		select user_id as peer from conversation_members
		where conversation_id = ${id} and user_id <> ${memberId} and pending and last_message_id is not null`.execute(trx)
	const [side] = rows
	if (!side) return undefined
	const messages = await sql<{ id: number }>`
		update messages set recipient_id = null
		where conversation_id = ${id} and sender_id = ${memberId} and recipient_id = ${side.peer} returning id`.execute(trx)
	await sql`
		update conversation_members set last_message_id = null, unread = 0
		where conversation_id = ${id} and user_id = ${side.peer}`.execute(trx)
	await sql`update conversations set version = version + 1 where id = ${id}`.execute(trx)
	return { messages: messages.rows.map((row) => row.id) }
}

/** Puts a request back into its recipient's inbox. */
export async function restoreRequest(
	trx: Executor,
	id: number,
	memberId: number,
	before: ItemRow['before'],
): Promise<void> {
	const messages = before.messages ?? []
	await sql`
		update messages set recipient_id = (select user_id from conversation_members where conversation_id = ${id} and user_id <> ${memberId})
		where conversation_id = ${id} and id = any(${messages}::int[]) and recipient_id is null`.execute(trx)
	await sql`
		update conversation_members side set last_message_id = greatest(last_message_id, ${Math.max(0, ...messages)}),
			unread = (select count(*) from messages m where m.conversation_id = side.conversation_id and m.recipient_id = side.user_id
				and m.id > side.read_id and m.deleted_at is null)
		where conversation_id = ${id} and user_id <> ${memberId}`.execute(trx)
	await sql`update conversations set version = version + 1 where id = ${id}`.execute(trx)
}

/** Reassigns takedowns about a merged account's profile to the kept account. */
export async function mergeTakedowns(trx: Executor, { goneId, keptId }: Merge): Promise<void> {
	await sql`update takedown_items set target_id = ${keptId} where kind = 'profile' and target_id = ${goneId}`.execute(
		trx,
	)
}

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
