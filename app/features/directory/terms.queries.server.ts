import { type RawBuilder, sql } from 'kysely'
import { isListed } from '~/features/members/members.queries.server.ts'
import { arrayOf, db } from '~/platform/db/db.server.ts'
import type { LookupWord } from './typed.ts'

/** The profile field of a term. */
export type TermKind =
	| 'everyone'
	| 'online'
	| 'open'
	| 'year'
	| 'passing'
	| 'branch'
	| 'university'
	| 'skill'
	| 'name'
	| 'expertise'
	| 'city'
	| 'location'
	| 'project'
	| 'certificate'
	| 'experience'
	| 'about'
	| 'details'

/** Kinds of long texts, whose words are not counted. */
export const longTextKinds: readonly TermKind[] = ['about', 'details']

/** Fields that say less about a member than the others; matches in these come later. */
export const weakKinds: readonly TermKind[] = ['location', ...longTextKinds]

/** A term by which members can be found. */
export interface IndexTermRow {
	id: number
	kind: TermKind
	label: string
	/** The number of listed members with it, as far as the asker may know; 1 for {@link longTextKinds}. */
	members: number
}

/** The asker; visitors may know less. */
export type SearchAudience = 'visitor' | 'member'

/** The number of members with a term, as far as the asker may know. */
const membersFor: Record<SearchAudience, RawBuilder<unknown>> = { visitor: sql`public_members`, member: sql`members` }

/** A possible meaning of a word of a search. */
export interface MeaningRow extends IndexTermRow {
	/** Normalized for comparison: without case, accents and punctuation. */
	key: string
	/** The index of the word, from 0. */
	position: number
	/** Whether the word is complete, and so is the skill; otherwise it is a prefix, or has a typo. */
	exact: boolean
}

/** Meanings of one word that are looked up, the commonest first; and before that, words with the same beginning. */
const MAX_MEANINGS = 60
const MAX_ALIKE = 2_000
/** Terms of a part of a word that are looked up, the oldest first. */
const MAX_PART_TERMS = 100

const textsOf = (words: readonly LookupWord[]) =>
	arrayOf(
		words.map(({ text }) => text),
		'text',
	)
const positionsOf = (words: readonly LookupWord[]) =>
	arrayOf(
		words.map(({ position }) => position),
		'int',
	)

/*
 * Each step reads a few rows by an index. `offset 0` enforces that: PostgreSQL plans these statements once for any
 * values, overestimates the rows and would scan whole tables.
 */

/**
 * Possible meanings of words: terms of these kinds with the word itself, or with a word that begins with it.
 * @param typos null, or: also terms with a word that differs by a typo, and names that equal one of these
 */
export async function findMeanings(
	asked: readonly LookupWord[],
	kinds: readonly TermKind[],
	typos: readonly LookupWord[] | null,
	asker: SearchAudience,
): Promise<MeaningRow[]> {
	const members = membersFor[asker]
	const joined = arrayOf(
		asked.map(({ isJoined }) => isJoined),
		'bool',
	)
	const initials = arrayOf(
		asked.map(({ isInitial = false }) => isInitial),
		'bool',
	)
	const ofKinds = arrayOf(kinds, 'text')
	const long = longTextKinds.filter((kind) => kinds.includes(kind))
	const mistyped = typos
		? sql`union all
			select asked.position, found.id, kind, key, label, ${members} as members, false as exact
			from asked cross join unnest(spellings_of(asked.word) || regexp_replace(asked.word, '[0-9]+$', '')) as variant
			cross join lateral (select word from word_spellings where spelling = variant offset 0) like_it
			cross join lateral (select term_id from term_words where term_words.word = like_it.word offset 0) meant
			cross join lateral (select * from terms where terms.id = meant.term_id offset 0) found
			where not is_joined and ${members} > 0 and kind = any(${ofKinds})
			union all
			select short.position, found.id, kind, key, label, ${members}, false
			from unnest(${positionsOf(typos)}, ${textsOf(typos)}) as short (position, word)
			cross join lateral (select term_id from term_words where term_words.word = short.word offset 0) meant
			cross join lateral (select * from terms where terms.id = meant.term_id offset 0) found
			where ${members} > 0 and kind = 'name'`
		: sql``
	const { rows } = await sql<MeaningRow>`
		with asked as materialized (
			select search_key(word) as word, position, is_joined, is_initial
			from unnest(${textsOf(asked)}, ${positionsOf(asked)}, ${joined}, ${initials}) as asked (word, position, is_joined, is_initial)
			where search_key(word) <> ''),
		found as (
			select position, found.id, kind, key, label, ${members} as members, alike.word = asked.word and (
				kind <> 'skill' or string_to_array(key, ' ') <@ (select array_agg(word) from asked)) as exact
			from asked cross join lateral (
				select * from term_words where term_words.word >= asked.word and term_words.word <
					case when is_joined or length(asked.word) = 1 and not is_initial then asked.word || ' ' else asked.word || chr(1114111) end
					and (not is_initial or term_words.word = asked.word or (select kind from terms where terms.id = term_id) = 'name')
				order by term_words.word limit ${MAX_ALIKE}) alike
			cross join lateral (select * from terms where terms.id = alike.term_id offset 0) found
			where ${members} > 0 and kind = any(${ofKinds})
			union all
			select position, found.id, kind, key, label, ${members}, true
			from asked cross join unnest(${arrayOf(long, 'text')}) as long
			cross join lateral (select * from terms where kind = long and key = word offset 0) found
			${mistyped}),
		meant as (
			select position, id, kind, key, label, members, bool_or(exact) as exact, count(*) over (partition by id) as answers
			from found group by position, id, kind, key, label, members),
		ranked as (
			select *, row_number() over (partition by position order by exact desc, answers desc, members desc, id) as rank from meant)
		select position, id, kind, key, label, members, exact from ranked where rank <= ${MAX_MEANINGS}
		order by position, exact desc, members desc, id`.execute(db())
	return rows
}

/**
 * The first of these words that is unknown and consists of two, as “rohansharma”: of those that one member has together, the two that are
 * closest in length. @returns null if there are none
 */
export async function findParts(
	words: readonly string[],
	asker: SearchAudience,
): Promise<{ index: number; parts: [string, string] } | null> {
	const termsOf = (part: RawBuilder<unknown>) => sql`cross join lateral (select array_agg(term_id) as ids from (
		select term_id from term_words where term_words.word = ${part} order by term_id limit ${MAX_PART_TERMS}) found)`
	const shown = asker === 'visitor' ? sql`and public_terms && one.ids and public_terms && other.ids` : sql``
	const { rows } = await sql<{ index: number; parts: [string, string] }>`
		select number::int - 1 as index, array[first, second] as parts
		from (select search_key(typed) as word, number
			from unnest(${arrayOf(words, 'text')}) with ordinality as asked (typed, number)) asked
		cross join lateral (
			select left(word, at) as first, substr(word, at + 1) as second, abs(length(word) - 2 * at) as difference
			from generate_series(2, length(word) - 2) as at) split
		${termsOf(sql`first`)} one ${termsOf(sql`second`)} other
		where not exists (
			select from term_words join terms on terms.id = term_id where term_words.word = asked.word and ${membersFor[asker]} > 0)
			and exists (select from member_search where terms && one.ids and terms && other.ids ${shown} offset 0)
		order by number, difference, first limit 1`.execute(db())
	return rows[0] ?? null
}

/** The listed member with this username, in lower case. */
export async function findUser(username: string): Promise<number | null> {
	const { rows } = await sql<{ id: number }>`
		select id from users where username = ${username} and ${isListed}`.execute(db())
	return rows[0]?.id ?? null
}

/** A value in a filter. */
export interface FilterValue {
	kind: TermKind
	value: string
}

/** The terms of filter values, with the index of each in the list; a value that nobody ever had is left out. */
export async function findFilterTerms(
	named: FilterValue[],
	asker: SearchAudience,
): Promise<(IndexTermRow & { position: number; key: string })[]> {
	const kinds = named.map(({ kind }) => kind)
	const values = named.map(({ value }) => value)
	const { rows } = await sql<IndexTermRow & { position: number; key: string }>`
		select found.id, found.kind, key, label, ${membersFor[asker]} as members, number::int - 1 as position
		from unnest(${arrayOf(kinds, 'text')}, ${arrayOf(values, 'text')})
			with ordinality as named (kind, value, number)
		cross join lateral (
			select * from terms where terms.kind = named.kind and terms.key = search_key(named.value) offset 0) found`.execute(
		db(),
	)
	return rows
}

/** The values that filters offer, up to the given number of each kind, commonest first; and the number of listed members. */
export async function listPopular(
	limits: Partial<Record<TermKind, number>>,
	asker: SearchAudience,
): Promise<IndexTermRow[]> {
	const members = membersFor[asker]
	const { rows } = await sql<IndexTermRow>`
		select popular.* from unnest(${arrayOf(Object.keys(limits), 'text')}, ${arrayOf(Object.values(limits), 'int')}) as wanted (kind, max)
		cross join lateral (
			select id, terms.kind, label, ${members} as members from terms where terms.kind = wanted.kind
			order by terms.${members} desc, id limit wanted.max) popular`.execute(db())
	return rows
}

/** The ids of the members after this one, listed or not, in ascending order. */
export async function listMembersAfter(id: number, limit: number): Promise<number[]> {
	const { rows } = await sql<{ id: number }>`
		select id from users where id > ${id} and not imported order by id limit ${limit}`.execute(db())
	return rows.map((row) => row.id)
}

/** Rebuilds the documents of those of these members whose terms do not match their rows. @returns their ids */
export async function reindexIfStale(ids: number[]): Promise<number[]> {
	const { rows } = await sql<{ id: number }>`
		select asked.id from unnest(${ids}::int[]) as asked (id)
		left join (
			select user_id, array_agg(kind || '/' || key || '/' || is_public order by kind collate "C", key collate "C") as terms
			from member_terms(${ids}::int[]) where kind <> 'online' group by user_id) wanted on wanted.user_id = asked.id
		left join lateral (
			select array_agg(kind || '/' || key || '/' || (terms.id = any(public_terms)) order by kind collate "C", key collate "C") as terms
			from member_search join terms on terms.id = any(member_search.terms) and kind <> 'online'
			where member_search.user_id = asked.id) found on true
		where wanted.terms is distinct from found.terms`.execute(db())
	const stale = rows.map((row) => row.id)
	if (stale.length > 0) await sql`select index_members(${stale}::int[])`.execute(db())
	return stale
}

/**
 * Deletes words that are no longer in any profile. Indexing a member changes the table of terms before reading it, so one of the
 * two waits for the other.
 */
export async function deleteUnusedTerms(): Promise<void> {
	await db()
		.transaction()
		.execute(async (trx) => {
			await sql`lock table terms in share row exclusive mode`.execute(trx)
			await sql`
				with used as materialized (select distinct unnest(terms) as id from member_search)
				delete from terms where kind not in ('everyone', 'online') and not exists (select from used where used.id = terms.id)`.execute(
				trx,
			)
			await sql`
				delete from word_spellings where not exists (select from term_words where term_words.word = word_spellings.word)`.execute(
				trx,
			)
		})
}
