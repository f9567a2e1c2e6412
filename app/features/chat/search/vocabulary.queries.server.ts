import { sql } from 'kysely'
import { db, type Executor } from '~/platform/db/db.server.ts'

/** So many of the newest messages that a member sent, and received, are read for their words while somebody waits. */
const readAtOnce = 500

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
			order by id desc limit ${readAtOnce}),
		got as materialized (select body from messages where recipient_id = ${userId} and id > (select up_to from known)
			and kept_body is null order by id desc limit ${readAtOnce}),
		m as (select body from sent union all select body from got)
		select array(
			select word from (
				select unnest(words) as word from own_words where user_id = ${userId} union ${wordsOfMessages}) all_words
			where length(word) between ${lengths.from} and ${lengths.to}) as words,
			greatest((select count(*) from sent), (select count(*) from got)) = ${readAtOnce} as more`.execute(db())
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
			where (sender_id = ${userId} or recipient_id = ${userId} and kept_body is null) and id > mine.up_to)
		update own_words set made_at = case when mine.up_to = 0 then now() else mine.made_at end,
			up_to = coalesce((select max(id) from m), mine.up_to),
			words = array(select word from (select unnest(mine.words) as word union ${wordsOfMessages}) all_words order by word)
		from mine where own_words.user_id = ${userId}`.execute(trx)
}
