import { sql } from 'kysely'
import { isListed } from '~/features/members/members.queries.server.ts'
import { db } from '~/platform/db/db.server.ts'
import { pipelinedTransaction } from '~/platform/db/transaction.server.ts'

/** A part of a search that may have a typo. */
export interface PossibleTypo {
	kind: 'word' | 'tag' | 'user'
	text: string
}

/** Possible corrections of a text without results. */
export interface WordSuggestion extends PossibleTypo {
	/** All known words that contain the text; without any, those with a similar spelling. */
	meant: string[]
	/** Words with a similar spelling, if it is also part of longer ones: “trut” begins “truth”, and may be “trust”. */
	alike: string[]
}

/** Texts without results that are corrected. */
const MAX_UNKNOWN = 8
/** Similar words that are compared, and the questions that are counted for each to choose the commonest. */
const MAX_ALIKE = 12
const MAX_COUNTED = 50
/** From this length on, a word may have two wrong letters. */
const TWO_EDITS_LENGTH = 8
/** Completions of an incomplete word. */
const MAX_LONGER = 10

/** Whether a text, in the syntax of `websearch_to_tsquery`, has a significant word, unlike “why is it”. One statement. */
export async function isSignificant(text: string): Promise<boolean> {
	const { rows } = await sql<{ significant: boolean }>`
		select numnode(websearch_to_tsquery('english', search_text(${text}))) > 0 as significant`.execute(db())
	return rows[0]?.significant ?? false
}

/** Whether a word is significant and in no question. Counts of the last hour are missing. */
const isUnknown = sql`
	numnode(plainto_tsquery('english', search_text(text))) > 0
	and not coalesce((
		select bool_and(exists (select from similar_words counted where counted.word = lexeme))
		from unnest(tsvector_to_array(to_tsvector('english', search_text(text)))) as lexeme), false)
	and not exists (
		-- A wall: for a single row the planner would rather read the whole forum than an index.
		with found as materialized (
			select id from questions where search @@ plainto_tsquery('english', search_text(text)) and status = 'published')
		select from found)`

/**
 * {@link MAX_COUNTED} if that many of the newest questions had `alike.word`, a single one, in the last hour; otherwise null. An index cannot
 * stop at a number of matches: it takes 10 ms and more to count a common word among a million questions.
 */
const commonUses = sql`(
	select ${MAX_COUNTED}::int from unnest(tsvector_to_array(to_tsvector('english', search_text(alike.word)))) as lexeme
	left join similar_words counted on counted.word = lexeme
	having count(*) = 1 and min(counted.documents) >= ${MAX_COUNTED}::int)`

interface AlikeRow extends PossibleTypo {
	/** The text in the dictionary's spelling. */
	key: string
	word: string
	/** Whether `word` contains the text. */
	longer: boolean
	/** The number of questions with it, as far as counted. */
	uses: number
}

/**
 * Corrections for each text without results: words of titles, tags and usernames that begin with it, contain it, or are
 * spelt similarly.
 * @param offered further possible words
 * @returns leaves out texts that have results or no corrections
 */
export async function findWordSuggestions(
	doubtful: PossibleTypo[],
	offered: { text: string; word: string }[] = [],
): Promise<WordSuggestion[]> {
	if (doubtful.length === 0) return []
	// Uses a generic plan, as planning for the given values takes longer than the statement.
	const { rows } = await pipelinedTransaction((trx, last) =>
		last(
			sql<AlikeRow>`
		with asked as materialized (
			select kind, text, search_key(text) as key from unnest(${doubtful.map(({ kind }) => kind)}::text[], ${doubtful.map(({ text }) => text)}::text[]) as asked (kind, text)
			where case kind
				when 'word' then ${isUnknown}
				when 'tag' then not exists (select from tags where name = text and question_count > 0)
				else not exists (select from usernames where username = text and user_id is not null) end
			limit ${MAX_UNKNOWN}),
		alike as (
			select asked.*, near.word, false as longer from asked cross join lateral (
				select search_spellings.word
				from unnest(spellings_of(case asked.kind when 'tag' then text else key end)) as variant
				join search_spellings on search_spellings.spelling = variant join search_words using (word)
				where asked.kind <> 'tag' or search_words.tag
				group by search_spellings.word order by count(*) desc, 1 limit ${MAX_ALIKE}) near
			where asked.kind <> 'user'
			union
			select asked.*, near.word, false from asked cross join lateral (
				select word from search_words where word % key order by similarity(word, key) desc, word limit ${MAX_ALIKE}) near
			where asked.kind = 'word' and length(key) >= ${TWO_EDITS_LENGTH}
			union
			select asked.kind, asked.text, asked.key, offered.word, false from asked
			join unnest(${offered.map(({ text }) => text)}::text[], ${offered.map(({ word }) => word)}::text[]) as offered (text, word) using (text)
			where asked.kind = 'word'
			union all
			select asked.*, near.word, true from asked cross join lateral (
				select word from (
					select word from search_words where word like '%' || key || '%'
					union select word from similar_words where word like '%' || key || '%') held
				order by word like key || '%' desc, length(word), word limit ${MAX_LONGER}) near
			where asked.kind = 'word' and length(key) >= 3
			union all
			select asked.*, near.word, false from asked cross join lateral (
				select word_spellings.word from unnest(spellings_of(text)) as variant
				join word_spellings on word_spellings.spelling = variant join users on users.username = word_spellings.word and ${isListed}
				group by 1 order by count(*) desc, 1 limit ${MAX_ALIKE}) near
			where asked.kind = 'user')
		select kind, text, key, word, longer, case kind
			when 'word' then coalesce(${commonUses}, (
				with found as materialized (
					select id from questions where search @@ plainto_tsquery('english', search_text(word)) and status = 'published' limit ${MAX_COUNTED})
				select count(*)::int from found))
			when 'tag' then (select question_count from tags where name = word)
			else (select count(*)::int from (select from questions where status = 'published' and author_id = (select id from users where username = word) limit ${MAX_COUNTED}) found)
			end as uses
		from alike where word not in (text, key)`.execute(trx),
		),
	)
	return doubtful.flatMap(({ kind, text }) => {
		const meant = choose(rows.filter((row) => row.kind === kind && row.text === text && row.uses > 0))
		return meant.meant.length > 0 ? [{ kind, text, ...meant }] : []
	})
}

/** All words that contain the text, shortest first; otherwise those with the fewest wrong letters, commonest first. */
function choose(rows: AlikeRow[]): Pick<WordSuggestion, 'meant' | 'alike'> {
	const longer = rows.filter((row) => row.longer).map(({ word }) => word)
	const others = rows
		.filter((row) => !row.longer && !longer.includes(row.word))
		.map(({ kind, key, text, word, uses }) => ({
			word,
			uses,
			edits: editsBetween(kind === 'word' ? key : text, word),
			most: kind === 'word' ? mostEdits(key) : 1,
		}))
	const fewest = Math.min(...others.map(({ edits }) => edits))
	const alike = others
		.filter(({ edits, most }) => edits === fewest && edits <= most)
		.toSorted((one, other) => other.uses - one.uses || (one.word < other.word ? -1 : 1))
		.map(({ word }) => word)
	return longer.length > 0 ? { meant: longer, alike } : { meant: alike, alike: [] }
}

/** The allowed number of wrong letters: with one, a word of three letters would match any other. */
function mostEdits({ length }: string): number {
	return length >= TWO_EDITS_LENGTH ? 2 : length > 3 ? 1 : 0
}

/** The Damerau–Levenshtein distance: letters that are missing, added, wrong, or swapped. */
export function editsBetween(one: string, other: string): number {
	let beforeLast: number[] = []
	let last = Array.from({ length: other.length + 1 }, (_, place) => place)
	for (let row = 1; row <= one.length; row += 1) {
		const current = [row]
		for (let column = 1; column <= other.length; column += 1) {
			const isSame = one[row - 1] === other[column - 1]
			const isSwapped =
				row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]
			current[column] = Math.min(
				(last[column] ?? 0) + 1,
				(current[column - 1] ?? 0) + 1,
				(last[column - 1] ?? 0) + (isSame ? 0 : 1),
				isSwapped ? (beforeLast[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
			)
		}
		beforeLast = last
		last = current
	}
	return last[other.length] ?? 0
}

/** Deletes words that are no longer in any title, tag or text. Writers of new words wait meanwhile, as they do for each other. */
export async function forgetSearchWords(): Promise<void> {
	await db()
		.transaction()
		.execute(async (trx) => {
			await sql`select pg_advisory_xact_lock(hashtext('search_words'))`.execute(trx)
			await sql`
				with used as materialized (
					select title_words(title) as word from questions where status = 'published'
					union select unnest(tags) from questions where status = 'published'
					union select name from tags)
				delete from search_words where not exists (select from used where used.word = search_words.word)`.execute(trx)
			await sql`
				delete from search_spellings
				where not exists (select from search_words where search_words.word = search_spellings.word)`.execute(trx)
		})
	await db()
		.transaction()
		.execute(async (trx) => {
			// Waits for a count that began before the member was gone, as this one would be skipped.
			await sql`select pg_advisory_xact_lock(hashtext('refresh_similar_words'))`.execute(trx)
			await sql`select refresh_similar_words()`.execute(trx)
		})
}
