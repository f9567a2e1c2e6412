import { sql } from 'kysely'
import { isListed } from '~/features/members/members.queries.server.ts'
import { db } from '~/platform/db/db.server.ts'
import { MAX_SEARCH_WORDS } from './directory.paths.ts'

export type TermKind = 'everyone' | 'online' | 'open' | 'year' | 'branch' | 'university' | 'skill' | 'name'

/** Something that members can be found by. */
export interface TermRow {
	id: number
	kind: TermKind
	label: string
	/** How many listed members have it. */
	members: number
}

/** A term that a word of a search may mean. */
export interface MeaningRow extends Omit<TermRow, 'kind'> {
	/** Which word, from 1. */
	position: number
	/** Whether the word is written out, and with it the whole skill; else it is a beginning, or has a typo. */
	exact: boolean
	/** With `kind` 'username', `id` is the member whose username the whole search is. */
	kind: TermKind | 'username'
}

/** Meanings of one word that are looked for, the commonest first; and words that begin alike, before that. */
const MAX_MEANINGS = 60
const MAX_ALIKE = 2_000

/**
 * What the words of a search may mean: names, skills and universities with this word, else with a word that begins so,
 * and only when there is neither, with one that differs by a typo.
 * @param aliases words of the search that are another spelling of a skill, with its name: they mean it exactly
 */
export async function findMeanings(
	search: string,
	aliases: readonly { words: string; name: string }[] = [],
): Promise<MeaningRow[]> {
	const { rows } = await sql<MeaningRow>`
		with asked as materialized (
			select word, min(number)::int as position from string_to_table(search_key(${search}), ' ') with ordinality as asked (word, number)
			where word <> '' group by word order by 2 limit ${MAX_SEARCH_WORDS}),
		spelt as materialized (
			select distinct position, terms.id, kind, label, members, true as exact
			from unnest(${aliases.map(({ words }) => words)}::text[], ${aliases.map(({ name }) => name)}::text[]) as alias (words, name)
			join asked on asked.word = any(string_to_array(search_key(alias.words), ' '))
			join terms on kind = 'skill' and key = search_key(alias.name) where members > 0),
		written as materialized (
			select position, terms.id, kind, label, members, bool_or(alike.word = asked.word) and (
				kind <> 'skill' or string_to_array(key, ' ') <@ (select array_agg(word) from asked)) as exact
			from asked cross join lateral (
				select * from term_words where term_words.word >= asked.word and term_words.word <
					case when length(asked.word) = 1 then asked.word || ' ' else asked.word || chr(1114111) end
				order by term_words.word limit ${MAX_ALIKE}) alike
			join terms on terms.id = alike.term_id where members > 0 group by position, terms.id),
		near as materialized (
			select position, id, kind, label, members, bool_or(exact) as exact
			from (select * from written union all select * from spelt) as both_ways group by position, id, kind, label, members),
		typos as (
			select distinct position, terms.id, kind, label, members, false as exact
			from asked cross join unnest(spellings_of(asked.word) || regexp_replace(asked.word, '[0-9]+$', '')) as variant
			join word_spellings on word_spellings.spelling = variant
			join term_words on term_words.word = word_spellings.word join terms on terms.id = term_words.term_id
			where members > 0 and position not in (select position from near)),
		ranked as (
			select *, row_number() over (partition by position order by exact desc, answers desc, members desc, id) as rank
			from (select *, count(*) over (partition by id) as answers from (select * from near union all select * from typos) as each_word) as meant)
		select position, id, kind, label, members, exact from ranked where rank <= ${MAX_MEANINGS}
		union all
		select 0, id, 'username', name, 1, true from users where username = lower(${search}) and ${isListed}
		order by 1, exact desc, members desc, id`.execute(db())
	return rows
}

/** A value that a filter names. */
export interface Named {
	kind: TermKind
	value: string
}

/** The terms of values that filters name, with the position of each in the list; a value that nobody has is not there. */
export async function findNamed(named: Named[]): Promise<(TermRow & { position: number })[]> {
	const { rows } = await sql<TermRow & { position: number }>`
		select terms.id, terms.kind, label, members, number::int - 1 as position
		from unnest(${named.map(({ kind }) => kind)}::text[], ${named.map(({ value }) => value)}::text[])
			with ordinality as named (kind, value, number)
		join terms on terms.kind = named.kind and terms.key = search_key(value)`.execute(db())
	return rows
}

/** The values that filters offer: of each kind the commonest, as many as asked for, and how many listed members there are. */
export async function listPopular(limits: Partial<Record<TermKind, number>>): Promise<TermRow[]> {
	const { rows } = await sql<TermRow>`
		select popular.* from unnest(${Object.keys(limits)}::text[], ${Object.values(limits)}::int[]) as wanted (kind, max)
		cross join lateral (
			select id, terms.kind, label, members from terms where terms.kind = wanted.kind
			order by members desc, id limit wanted.max) popular`.execute(db())
	return rows
}
