import { type RawBuilder, sql } from 'kysely'
import { type PeerRow, peerColumns } from '~/features/conversations/conversations.queries.server.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import type { Merge } from '~/platform/member-data.ts'

/** Characters that no text contains delimit a match, so that the text can be escaped afterwards. */
export const matchDelimiters = { start: '\u0001', stop: '\u0002' }

/**
 * This many of the newest messages, sent and received, are scanned. Words with fewer than thirty matches among them are rare enough for the
 * index, whose cost grows with the number of matches: a word in every hundredth message occurs in 1,000 of 100,000.
 */
const MAX_SCANNED = 1_500

/** The words of a search, each with its alternatives. */
export interface MessageSearch {
	/** For PostgreSQL's own syntax of phrases and excluded words; null without any. */
	phrase: string | null
	/** Without accents. Every word must match, in one of its forms. */
	words: { typed: string; instead: string[] }[]
}

export interface HitRow extends PeerRow {
	id: number
	mine: boolean
	sent_at: Date
	/** The text without Markdown. */
	body: string
	/** The whole text as `without_accents` writes it, with delimiters around the matching words. */
	marked: string
}

/** A member's own messages that match, newest first. */
export async function findOwnMessages(
	userId: number,
	{ wanted, before, limit }: { wanted: MessageSearch; before: number | null; limit: number },
): Promise<HitRow[]> {
	const options = `StartSel=${matchDelimiters.start},StopSel=${matchDelimiters.stop},HighlightAll=true`
	const until = before ?? 2 ** 31 - 1
	const received = sql`recipient_id = ${userId} and recipient_body is null`
	/** Scans the newest messages by an index, and only then filters them. */
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
				-- The zero keeps indexes from serving this condition: half of all own messages would be read to be intersected with a few.
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
 * One row with the column `words`. Each word matches by its stem, and the last one, which may be incomplete, also as a prefix: "dead" finds
 * "deadline". Only one prefix is allowed, as the index has to collect the words of all members for it.
 */
function queryOf({ phrase, words }: MessageSearch): RawBuilder<unknown> {
	if (phrase !== null) return sql`select websearch_to_tsquery('english', without_accents(${phrase})) as words`
	const typed = words.map((word) => word.typed)
	const positions = words.flatMap(({ instead }, position) => instead.map(() => position + 1))
	return sql`
		select coalesce(string_agg('(' || ways || ')', ' & ' order by position), '')::tsquery as words from (
			select position, string_agg(nullif(way::text, ''), ' | ') as ways from (
				select position, ${formsOf}
					|| case when length(word) > 1 and position = ${typed.length} then ${prefixOf} else '' end::tsquery as way
				from unnest(${typed}::text[]) with ordinality as asked (word, position)
				union all select position, ${formsOf}
				from unnest(${positions}::int[], ${words.flatMap(({ instead }) => instead)}::text[]) as other (position, word)) each_way
			group by position) each_word`
}

/** A word as documents have it: locales other than the built-in database's treat some marks of letters as signs. */
const formsOf = sql`plainto_tsquery('english', without_accents(word))`
/** The same as written, the last piece as a prefix. */
const prefixOf = sql`regexp_replace(quote_literal(btrim(without_accents(word))), ' +', ''' & ''', 'g') || ':*'`

/** Those of these words that PostgreSQL ignores as stop words ("the"). */
export async function findStopWords(words: string[]): Promise<Set<string>> {
	const { rows } = await sql<{ word: string }>`
		select word from unnest(${words}::text[]) as word where numnode(plainto_tsquery('english', word)) = 0`.execute(db())
	return new Set(rows.map(({ word }) => word))
}

/** This many of the newest messages, sent and received, are read for their words during a request. */
const MAX_READ = 500

/** The words of the messages `m`: lower case, without accents, and long enough to recognize a typo. */
const wordsOfMessages = sql`
	select lower(token) as word from m, ts_parse('default', without_accents(m.body))
	where length(token) between 4 and 30 and token ~ '^[[:alpha:]]+$'`

/**
 * The words of a member's own messages.
 * @param lengths the lengths of words to return
 * @returns also whether there are more messages, whose words have not been collected yet
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
 * Collects the words of all messages of a member. Words collected a month ago are deleted, as their messages may be. Does nothing while
 * another process runs it.
 */
export async function collectOwnWords(trx: Executor, userId: number): Promise<void> {
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

/**
 * Deletes the collected words of two merged accounts, so that they are collected again: older messages of one account may follow what was
 * read of the other's.
 */
export async function mergeOwnWords(trx: Executor, { goneId, keptId }: Merge): Promise<void> {
	await sql`delete from own_words where user_id in (${goneId}, ${keptId})`.execute(trx)
}
