import { sql } from 'kysely'
import { isListed } from '~/features/members/members.queries.server.ts'
import { db } from '~/platform/db/db.server.ts'

/** Something in a search that may hold a typo. */
export interface Doubtful {
	kind: 'word' | 'tag' | 'user'
	text: string
}

/** Words that are looked at for one typo, and matches that are counted to choose the commonest of them. */
const MAX_ALIKE = 12
const MAX_COUNTED = 50

/** A word that was counted in the newest questions within the last hour or so finds something: common ones end here. */
const isCounted = sql`coalesce((
	select bool_and(exists (select from similar_words counted where counted.word = lexeme))
	from unnest(tsvector_to_array(to_tsvector('english', search_text(text)))) as lexeme), false)`

/**
 * For each text that finds nothing by itself, the one most like it that does: a word of titles, a tag, or a username. Two
 * texts are alike when they differ by about one letter missing, added, wrong or swapped.
 * @returns text → what may have been meant, without those that find something or that nothing is like
 */
export async function findSpellings(doubtful: Doubtful[]): Promise<(Doubtful & { meant: string })[]> {
	if (doubtful.length === 0) return []
	const { rows } = await sql<Doubtful & { meant: string }>`
		with asked as materialized (
			select kind, text, search_key(text) as key from unnest(${doubtful.map(({ kind }) => kind)}::text[], ${doubtful.map(({ text }) => text)}::text[]) as asked (kind, text)
			where case kind
				when 'word' then not ${isCounted} and not exists (
					-- A wall: for a single row the planner would rather read the whole forum than an index.
					with found as materialized (
						select id from questions where search @@ plainto_tsquery('english', search_text(text)) and deleted_at is null)
					select from found)
				when 'tag' then not exists (select from tags where name = text and question_count > 0)
				else not exists (select from users where username = text) end),
		alike as (
			select asked.kind, text, near.word, near.shared from asked cross join lateral (
				select search_spellings.word, count(*) as shared
				from unnest(spellings_of(case asked.kind when 'tag' then text else key end)) as variant
				join search_spellings on search_spellings.spelling = variant join search_words using (word)
				where search_words.word <> asked.text and (asked.kind <> 'tag' or search_words.tag)
				group by search_spellings.word order by 2 desc, 1 limit ${MAX_ALIKE}) near
			where asked.kind <> 'user'
			union all
			select 'user', text, near.word, near.shared from asked cross join lateral (
				select word_spellings.word, count(*) as shared from unnest(spellings_of(text)) as variant
				join word_spellings on word_spellings.spelling = variant join users on users.username = word_spellings.word and ${isListed}
				group by 1 order by 2 desc, 1 limit ${MAX_ALIKE}) near
			where asked.kind = 'user'),
		used as (
			select alike.*, case kind
				when 'word' then (
					with found as materialized (
						select id from questions where title_document(title) @@ plainto_tsquery('english', search_text(word)) and deleted_at is null)
					select count(*) from (select from found limit ${MAX_COUNTED}) counted)
				when 'tag' then (select question_count from tags where name = word)
				else (select count(*) from (select from questions where deleted_at is null and author_id = (select id from users where username = word) limit ${MAX_COUNTED}) found)
				end as uses from alike)
		select distinct on (kind, text) kind, text, word as meant from used where uses > 0
		order by kind, text, shared > 2 desc, uses desc, shared desc, word`.execute(db())
	return rows
}
