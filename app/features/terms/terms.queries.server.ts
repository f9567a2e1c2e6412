import { type Generated, type GeneratedAlways, sql } from 'kysely'
import { arrayOf, db, type Executor } from '~/platform/db/db.server.ts'
import type { StartTerm } from './start-set.ts'
import { type Term, termKey } from './terms.view.ts'

declare module '~/platform/db/schema.ts' {
	interface Database {
		vocabulary_terms: {
			id: GeneratedAlways<number>
			name: string
			tag: string
			description: Generated<string>
			edited_at: Date | null
			unaligned: Generated<boolean>
		}
		start_sets: { name: string; hash: string }
	}
}

/** A term as processes keep it in memory. */
export interface TermRow extends Term {
	description: string
	/** Its name, its tag and all other spellings. */
	spellings: string[]
	/** Ids of the parent terms. */
	parents: number[]
}

/** All terms of the site; a few thousand rows. */
export async function listTermRows(): Promise<TermRow[]> {
	const { rows } = await sql<TermRow>`
		select id, name, tag, description, coalesce(spellings, '{}') as spellings, coalesce(parents, '{}') as parents
		from vocabulary_terms t
		left join (select term_id, array_agg(spelling) as spellings from term_spellings group by term_id) s on s.term_id = t.id
		left join (select term_id, array_agg(parent_id order by parent_id) as parents from term_parents group by term_id) p
			on p.term_id = t.id
		order by id`.execute(db())
	return rows
}

/**
 * Prevents changes of terms until the transaction ends, so that no word is written under an outdated name. Call it before anything locks an
 * account or a profile: changes of terms lock the moderator's row after the terms.
 */
export async function lockTermsShared(trx: Executor): Promise<void> {
	await sql`lock table term_spellings in row share mode`.execute(trx)
}

/** Waits for transactions that are writing words, and blocks new ones until the change is committed. */
export async function lockTerms(trx: Executor): Promise<void> {
	await sql`lock table term_spellings in exclusive mode`.execute(trx)
}

/** The terms of these words, by the words as given. */
export async function listTermsOfWords(executor: Executor, words: string[]): Promise<Map<string, Term>> {
	const { rows } = await sql<Term & { word: string }>`
		select word, t.id, t.name, t.tag from unnest(${arrayOf(words, 'text')}) as word
		join term_spellings s on s.key = term_key(word) join vocabulary_terms t on t.id = s.term_id`.execute(executor)
	return new Map(rows.map(({ word, ...term }) => [word, term]))
}

export interface TermDetailRow extends Term {
	description: string
	/** Spellings other than its name and tag. */
	aliases: string[]
	parents: Term[]
	children: Term[]
	isEdited: boolean
}

/** A term with its spellings, parents and children, at most 60 of the latter. */
export async function findTermDetail(id: number, executor: Executor = db()): Promise<TermDetailRow | undefined> {
	const { rows } = await sql<TermDetailRow>`
		select id, name, tag, description, edited_at is not null as "isEdited",
			array(select spelling from term_spellings where term_id = t.id and key not in (term_key(t.name), term_key(t.tag))
				order by spelling) as aliases,
			coalesce((select json_agg(json_build_object('id', p.id, 'name', p.name, 'tag', p.tag) order by p.name)
				from term_parents join vocabulary_terms p on p.id = parent_id where term_id = t.id), '[]') as parents,
			coalesce((select json_agg(json_build_object('id', c.id, 'name', c.name, 'tag', c.tag) order by c.name) from (
				select c.id, c.name, c.tag from term_parents join vocabulary_terms c on c.id = term_id
				where parent_id = t.id order by c.name limit 60) c), '[]') as children
		from vocabulary_terms t where id = ${id}`.execute(executor)
	return rows[0]
}

/** Adds a term, unless its name or tag belongs to another one. @returns its id */
export async function insertTerm(
	trx: Executor,
	{ name, tag }: { name: string; tag: string },
): Promise<number | undefined> {
	const taken = await listTermsOfWords(trx, [name, tag])
	if (taken.size > 0) return undefined
	const { rows } = await sql<{ id: number }>`
		insert into vocabulary_terms (name, tag, edited_at, unaligned) values (${name}, ${tag}, now(), true)
		on conflict (tag) do nothing returning id`.execute(trx)
	const id = rows[0]?.id
	if (id === undefined) return undefined
	await putSpelling(trx, id, name, null)
	await putSpelling(trx, id, tag, null)
	return id
}

/** Moves a spelling to this term, even from another one. @param addedAt null if it belongs to the name or tag */
export async function putSpelling(trx: Executor, id: number, spelling: string, addedAt: Date | null): Promise<void> {
	await sql`
		insert into term_spellings (key, spelling, term_id, added_at) values (term_key(${spelling}), ${spelling}, ${id}, ${addedAt})
		on conflict (key) do update set spelling = excluded.spelling, term_id = excluded.term_id, added_at = excluded.added_at`.execute(
		trx,
	)
}

/** Removes a spelling from its term. @returns false if it is the name, the tag or no spelling of the term */
export async function removeSpelling(trx: Executor, id: number, spelling: string): Promise<boolean> {
	const { rows } = await sql`
		update term_spellings s set term_id = null, added_at = null from vocabulary_terms t
		where t.id = ${id} and s.term_id = t.id and s.key = term_key(${spelling}) and s.key not in (term_key(t.name), term_key(t.tag))
		returning 1`.execute(trx)
	return rows.length > 0
}

export interface TermChange {
	name?: string
	description?: string
	/** Whether words may have to be respelled. */
	unaligned?: boolean
}

/** Changes a term on behalf of a moderator: the start set no longer changes it. */
export async function updateTerm(trx: Executor, id: number, change: TermChange): Promise<void> {
	await trx
		.updateTable('vocabulary_terms')
		.set({ ...change, edited_at: new Date() })
		.where('id', '=', id)
		.execute()
}

/** Gives a term the description of its tag, unless a moderator has edited the term. @returns whether it did */
export async function describeUnedited(trx: Executor, id: number, description: string): Promise<boolean> {
	const { rows } = await sql`
		update vocabulary_terms set description = ${description}, edited_at = now()
		where id = ${id} and (edited_at is null or description = '') returning 1`.execute(trx)
	return rows.length > 0
}

/** Moves spellings and children from one term to another, and deletes the former. @param except terms that become children of neither */
export async function mergeInto(trx: Executor, id: number, into: number, except: number[]): Promise<void> {
	await sql`update term_spellings set term_id = ${into} where term_id = ${id}`.execute(trx)
	await sql`
		insert into term_parents (term_id, parent_id) select term_id, ${into} from term_parents
		where parent_id = ${id} and term_id <> all(${except}::int[]) on conflict do nothing`.execute(trx)
	await sql`delete from vocabulary_terms where id = ${id}`.execute(trx)
}

/** Replaces the parents of a term. */
export async function replaceParents(trx: Executor, id: number, parents: number[]): Promise<void> {
	await sql`delete from term_parents where term_id = ${id} and parent_id <> all(${parents}::int[])`.execute(trx)
	await sql`
		insert into term_parents (term_id, parent_id) select ${id}, unnest(${parents}::int[]) on conflict do nothing`.execute(
		trx,
	)
}

/** The ancestors of these terms, including themselves. */
export async function listAncestors(trx: Executor, ids: number[]): Promise<number[]> {
	const { rows } = await sql<{ id: number }>`
		with recursive above as (
			select unnest(${ids}::int[]) as id union select parent_id from above join term_parents on term_id = above.id)
		select id from above`.execute(trx)
	return rows.map(({ id }) => id)
}

/** Terms whose words may not be respelled yet. */
export async function listUnaligned(): Promise<number[]> {
	const rows = await db().selectFrom('vocabulary_terms').select('id').where('unaligned', '=', true).limit(100).execute()
	return rows.map(({ id }) => id)
}

/** Records that every word of a term is spelled as its name. */
export async function markAligned(id: number): Promise<void> {
	await db().updateTable('vocabulary_terms').set({ unaligned: false }).where('id', '=', id).execute()
}

/** The keys of all spellings of a term, including its name and tag. */
export async function listKeys(trx: Executor, id: number): Promise<string[]> {
	const { rows } = await sql<{ key: string }>`select key from term_spellings where term_id = ${id}`.execute(trx)
	return rows.map(({ key }) => key)
}

/** Locks the installation of the start set, for one process at a time, until the transaction ends. */
export async function lockStartSet(trx: Executor): Promise<void> {
	await sql`select pg_advisory_xact_lock(hashtext('start set of terms'))`.execute(trx)
}

/** The version of the data file that the terms were last updated from. */
export async function findStartSetHash(): Promise<string | undefined> {
	return (await db().selectFrom('start_sets').select('hash').where('name', '=', 'terms').executeTakeFirst())?.hash
}

/** Records that terms and words are updated from this version of the data file. */
export async function saveStartSetHash(hash: string): Promise<void> {
	await sql`insert into start_sets (name, hash) values ('terms', ${hash}) on conflict (name) do update set hash = excluded.hash`.execute(
		db(),
	)
}

/**
 * Updates the terms from the data file: adds new terms, and changes those that no moderator has changed. A spelling that belongs to another
 * term stays there, and one that a moderator removed stays removed.
 */
export async function writeStartSet(trx: Executor, terms: StartTerm[]): Promise<void> {
	const rows = terms.map(({ name, tag, description }) => ({ name, tag, description }))
	const spellings = terms.flatMap(({ name, tag, aliases }) =>
		[name, tag, ...aliases].map((spelling) => ({ tag, spelling, key: termKey(spelling) })),
	)
	const tags = new Map(terms.map(({ name, tag }) => [name, tag]))
	const parents = terms.flatMap(({ tag, parents: above }) =>
		above.map((parent) => ({ tag, parent: tags.get(parent) ?? '' })),
	)
	await sql`
		insert into vocabulary_terms (name, tag, description)
		select name, tag, description from json_to_recordset(${JSON.stringify(rows)}) as given (name text, tag text, description text)
		where exists (select from vocabulary_terms t where t.tag = given.tag)
			or not exists (select from term_spellings s where s.key in (term_key(given.name), term_key(given.tag)))
		on conflict (tag) do update set name = case
				when exists (select from term_spellings s where s.key = term_key(excluded.name) and s.term_id is distinct from vocabulary_terms.id)
				then vocabulary_terms.name else excluded.name end,
			description = excluded.description where vocabulary_terms.edited_at is null`.execute(trx)
	await sql`
		insert into term_spellings (key, spelling, term_id)
		select distinct on (given.key) given.key, given.spelling, t.id
		from json_to_recordset(${JSON.stringify(spellings)}) as given (tag text, spelling text, key text)
		join vocabulary_terms t using (tag) order by given.key
		on conflict (key) do nothing`.execute(trx)
	await sql`
		insert into term_parents (term_id, parent_id)
		select distinct t.id, p.id from json_to_recordset(${JSON.stringify(parents)}) as given (tag text, parent text)
		join vocabulary_terms t using (tag) join vocabulary_terms p on p.tag = given.parent
		where t.id <> p.id and t.edited_at is null on conflict do nothing`.execute(trx)
}
