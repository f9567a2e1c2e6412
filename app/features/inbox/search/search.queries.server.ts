import { type RawBuilder, sql } from 'kysely'
import { type PeerRow, peerColumns } from '~/features/conversations/conversations.queries.server.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import type { Merge } from '~/platform/member-data.ts'

/** Characters that no text holds stand round a match, so that escaping can come after. */
export const marks = { start: '\u0001', stop: '\u0002' }

/**
 * So many of the newest messages that a member sent, and received, are looked through one by one. What is not found thirty
 * times in them is rare enough for the index, whose cost grows with all that match: a word of every hundredth message is in
 * 1,000 of 100,000.
 */
const MAX_SCANNED = 1_500

/** The words of a search, each in all the ways in which it may stand in a message. */
export interface Wanted {
	/** For PostgreSQL's own way of reading a search: phrases, and what must not be there. Null where there is neither. */
	phrase: string | null
	/** Without accents. Every word must be found, in one of these ways. */
	words: { typed: string; instead: string[] }[]
}

export interface HitRow extends PeerRow {
	id: number
	mine: boolean
	sent_at: Date
	/** What the message reads as, without its Markdown. */
	body: string
	/** All of that text without accents, with marks round the words that matched. */
	marked: string
}

/** Of a member's own messages those that hold what is wanted, the newest first. */
export async function findOwnMessages(
	userId: number,
	{ wanted, before, limit }: { wanted: Wanted; before: number | null; limit: number },
): Promise<HitRow[]> {
	const options = `StartSel=${marks.start},StopSel=${marks.stop},HighlightAll=true`
	const until = before ?? 2 ** 31 - 1
	const received = sql`recipient_id = ${userId} and recipient_body is null`
	/** Newest first by an index, whatever the words are; only then are they looked for. */
	const side = (whose: RawBuilder<unknown>) => sql`
		select m.id, m.search @@ wanted.words as hit from wanted, (
			select id, search from messages where ${whose} and id < ${until} order by id desc limit ${MAX_SCANNED}) m`
	const end = (rows: RawBuilder<unknown>) =>
		sql`(select case when count(*) < ${MAX_SCANNED} then 0 else min(id) end from ${rows})`
	const { rows } = await sql<HitRow>`
		with wanted as materialized (select words, words && ${`'@${userId}'`}::tsquery as own from (${queryOf(wanted)}) asked),
		sent as materialized (${side(sql`sender_id = ${userId}`)}),
		got as materialized (${side(received)}),
		seen as materialized (select greatest(${end(sql`sent`)}, ${end(sql`got`)}) as down_to),
		near as materialized (
			select id from (select id from sent where hit union all select id from got where hit) hits
			where id >= (select down_to from seen) order by id desc limit ${limit}),
		matches as materialized (
			select m.id from messages m
			where (select down_to from seen) > 0 and (select count(*) from near) < ${limit}
				and m.search @@ (select own from wanted where words <> ''::tsquery)
				-- Said so that no index answers it: half of all own messages would be gathered to be crossed with a few.
				and m.id + 0 < (select down_to from seen) and (m.recipient_body is null or m.sender_id = ${userId})),
		found as (select id from near union all select id from (select id from matches order by id desc limit ${limit}) far
			order by id desc limit ${limit})
		select ${peerColumns(userId)}, m.id, m.sender_id = ${userId} as mine, m.sent_at, said.body,
			ts_headline('english', without_accents(said.body), wanted.words, ${options}) as marked
		from found join messages m on m.id = found.id and (m.sender_id = ${userId} or m.recipient_id = ${userId})
			cross join lateral (select message_words(btrim(text_of_html(m.html)), m.pictures) as body) said
			cross join wanted join conversations c on c.id = m.conversation_id
		join users p on p.id = case when c.lower_id = ${userId} then c.higher_id else c.lower_id end
		left join shown_profiles pp on pp.user_id = p.id
		order by m.id desc`.execute(db())
	return rows
}

/**
 * As one row with the column `words`. Each word is found by its stem, and the last one, which may not be finished, as a
 * beginning too: "dead" finds "deadline". For a beginning the index gathers what all members wrote, so one of them is enough.
 */
function queryOf({ phrase, words }: Wanted): RawBuilder<unknown> {
	if (phrase !== null) return sql`select websearch_to_tsquery('english', without_accents(${phrase})) as words`
	const typed = words.map((word) => word.typed)
	const positions = words.flatMap(({ instead }, position) => instead.map(() => position + 1))
	return sql`
		select coalesce(string_agg('(' || ways || ')', ' & ' order by position), '')::tsquery as words from (
			select position, string_agg(nullif(way::text, ''), ' | ') as ways from (
				select position, plainto_tsquery('english', word)
					|| case when length(word) > 1 and position = ${typed.length} then quote_literal(word) || ':*' else '' end::tsquery as way
				from unnest(${typed}::text[]) with ordinality as asked (word, position)
				union all select position, plainto_tsquery('english', word)
				from unnest(${positions}::int[], ${words.flatMap(({ instead }) => instead)}::text[]) as other (position, word)) each_way
			group by position) each_word`
}

/** Which of these words say nothing alone ("the"), in PostgreSQL's opinion. */
export async function findStopWords(words: string[]): Promise<Set<string>> {
	const { rows } = await sql<{ word: string }>`
		select word from unnest(${words}::text[]) as word where numnode(plainto_tsquery('english', word)) = 0`.execute(db())
	return new Set(rows.map(({ word }) => word))
}

/** So many of the newest messages that a member sent, and received, are read for their words while somebody waits. */
const MAX_READ = 500

/** The words of messages that are called `m`: small letters without accents, of a length in which a typing error can be told. */
const wordsOfMessages = sql`
	select lower(token) as word from m, ts_parse('default', without_accents(m.body))
	where length(token) between 4 and 30 and token ~ '^[[:alpha:]]+$'`

/**
 * The words of a member's own messages.
 * @param lengths only of words that are so long
 * @returns also whether there are more messages than were read, whose words nobody has gathered yet
 */
export async function readOwnWords(
	userId: number,
	lengths: { from: number; to: number },
): Promise<{ words: string[]; more: boolean }> {
	const { rows } = await sql<{ words: string[]; more: boolean }>`
		with known as materialized (select coalesce(max(up_to), 0) as up_to from own_words where user_id = ${userId}),
		sent as materialized (select body from messages where sender_id = ${userId} and id > (select up_to from known)
			order by id desc limit ${MAX_READ}),
		got as materialized (select body from messages where recipient_id = ${userId} and id > (select up_to from known)
			and recipient_body is null order by id desc limit ${MAX_READ}),
		m as (select body from sent union all select body from got)
		select array(
			select word from (
				select unnest(words) as word from own_words where user_id = ${userId} union ${wordsOfMessages}) all_words
			where length(word) between ${lengths.from} and ${lengths.to}) as words,
			greatest((select count(*) from sent), (select count(*) from got)) = ${MAX_READ} as more`.execute(db())
	return rows[0] ?? { words: [], more: false }
}

/**
 * Gathers the words of all messages of a member up to now; what was gathered a month ago is forgotten, and with it the words
 * of messages that were deleted. Does nothing while another process does it.
 */
export async function gatherOwnWords(trx: Executor, userId: number): Promise<void> {
	await sql`insert into own_words (user_id) select id from users where id = ${userId} on conflict do nothing`.execute(
		trx,
	)
	await sql`
		with mine as materialized (
			select case when made_at > now() - interval '30 days' then up_to else 0 end as up_to,
				case when made_at > now() - interval '30 days' then words else '{}' end as words, made_at
			from own_words where user_id = ${userId} for update skip locked),
		m as materialized (select id, body from messages, mine
			where (sender_id = ${userId} or recipient_id = ${userId} and recipient_body is null) and id > mine.up_to)
		update own_words set made_at = case when mine.up_to = 0 then now() else mine.made_at end,
			up_to = coalesce((select max(id) from m), mine.up_to),
			words = array(select word from (select unnest(mine.words) as word union ${wordsOfMessages}) all_words order by word)
		from mine where own_words.user_id = ${userId}`.execute(trx)
}

/** Forgets which words two accounts that become one wrote, to be gathered again: the messages of one come before what was read of the other's. */
export async function mergeOwnWords(trx: Executor, { goneId, keptId }: Merge): Promise<void> {
	await sql`delete from own_words where user_id in (${goneId}, ${keptId})`.execute(trx)
}
