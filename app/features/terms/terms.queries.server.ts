import { type Generated, type GeneratedAlways, sql } from 'kysely'
import { db, type Executor } from '~/platform/db/db.server.ts'
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

/** A term with everything that a process keeps of it. */
export interface TermRow extends Term {
	description: string
	/** Its name, its tag and every other spelling. */
	spellings: string[]
	/** Ids of the terms above it. */
	parents: number[]
}

/** Every term of the site; some thousand rows. */
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
 * For a transaction that writes words: until it ends no term is changed, so nothing is written under a name that has just
 * been given up.
 */
export async function lockTermsShared(trx: Executor): Promise<void> {
	await sql`lock table term_spellings in row share mode`.execute(trx)
}

/** Waits for whoever is writing words, and keeps others waiting until the change stands. */
export async function lockTerms(trx: Executor): Promise<void> {
	await sql`lock table term_spellings in exclusive mode`.execute(trx)
}

/** The terms that these words are spellings of, by the words as they were given. */
export async function listTermsOfWords(executor: Executor, words: string[]): Promise<Map<string, Term>> {
	const { rows } = await sql<Term & { word: string }>`
		select word, t.id, t.name, t.tag from unnest(${words}::text[]) as word
		join term_spellings s on s.key = term_key(word) join vocabulary_terms t on t.id = s.term_id`.execute(executor)
	return new Map(rows.map(({ word, ...term }) => [word, term]))
}

export interface TermDetailRow extends Term {
	description: string
	/** Other spellings than its name and tag. */
	aliases: string[]
	parents: Term[]
	children: Term[]
	isEdited: boolean
}

/** A term with its spellings and relatives; of the terms below it at most 60. */
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

/** Adds a term, or nothing where its name or tag belongs to another one. @returns its id */
export async function insertTerm(
	trx: Executor,
	{ name, tag, description = '' }: { name: string; tag: string; description?: string },
): Promise<number | undefined> {
	const taken = await listTermsOfWords(trx, [name, tag])
	if (taken.size > 0) return undefined
	const { rows } = await sql<{ id: number }>`
		insert into vocabulary_terms (name, tag, description, edited_at, unaligned) values (${name}, ${tag}, ${description}, now(), true)
		on conflict (tag) do nothing returning id`.execute(trx)
	const id = rows[0]?.id
	if (id === undefined) return undefined
	await putSpelling(trx, id, name, null)
	await putSpelling(trx, id, tag, null)
	return id
}

/** Makes a spelling one of this term, whosever it was. @param addedAt null for one that belongs to its name or tag */
export async function putSpelling(trx: Executor, id: number, spelling: string, addedAt: Date | null): Promise<void> {
	await sql`
		insert into term_spellings (key, spelling, term_id, added_at) values (term_key(${spelling}), ${spelling}, ${id}, ${addedAt})
		on conflict (key) do update set spelling = excluded.spelling, term_id = excluded.term_id, added_at = excluded.added_at`.execute(
		trx,
	)
}

/** Takes a spelling from its term; the word stands by itself then. @returns whether it was one besides the name and the tag */
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
	/** Whether words may have to be written again. */
	unaligned?: boolean
}

/** Changes a term as a moderator does: the start set leaves it alone from now on. */
export async function updateTerm(trx: Executor, id: number, change: TermChange): Promise<void> {
	await trx
		.updateTable('vocabulary_terms')
		.set({ ...change, edited_at: new Date() })
		.where('id', '=', id)
		.execute()
}

/**
 * Gives a term what moderators wrote of its tag, unless one of them wrote something about the term itself.
 * @returns whether it was given
 */
export async function describeUnedited(trx: Executor, id: number, description: string): Promise<boolean> {
	const { rows } = await sql`
		update vocabulary_terms set description = ${description}, edited_at = now()
		where id = ${id} and (edited_at is null or description = '') returning 1`.execute(trx)
	return rows.length > 0
}

/** Moves spellings and the terms below from one term to another, and deletes it. @param except terms that stay below neither */
export async function mergeInto(trx: Executor, id: number, into: number, except: number[]): Promise<void> {
	await sql`update term_spellings set term_id = ${into} where term_id = ${id}`.execute(trx)
	await sql`
		insert into term_parents (term_id, parent_id) select term_id, ${into} from term_parents
		where parent_id = ${id} and term_id <> all(${except}::int[]) on conflict do nothing`.execute(trx)
	await sql`delete from vocabulary_terms where id = ${id}`.execute(trx)
}

/** Makes these the parents of a term. */
export async function replaceParents(trx: Executor, id: number, parents: number[]): Promise<void> {
	await sql`delete from term_parents where term_id = ${id} and parent_id <> all(${parents}::int[])`.execute(trx)
	await sql`
		insert into term_parents (term_id, parent_id) select ${id}, unnest(${parents}::int[]) on conflict do nothing`.execute(
		trx,
	)
}

/** The terms above these, and above those, and so on, with themselves. */
export async function listAbove(trx: Executor, ids: number[]): Promise<number[]> {
	const { rows } = await sql<{ id: number }>`
		with recursive above as (
			select unnest(${ids}::int[]) as id union select parent_id from above join term_parents on term_id = above.id)
		select id from above`.execute(trx)
	return rows.map(({ id }) => id)
}

/** Terms of which words may still be written otherwise. */
export async function listUnaligned(): Promise<number[]> {
	const rows = await db().selectFrom('vocabulary_terms').select('id').where('unaligned', '=', true).limit(100).execute()
	return rows.map(({ id }) => id)
}

/** Says that every word of a term is written as it is called. */
export async function markAligned(id: number): Promise<void> {
	await db().updateTable('vocabulary_terms').set({ unaligned: false }).where('id', '=', id).execute()
}

/** Every spelling of a term as it is compared, its name and tag among them. */
export async function listKeys(trx: Executor, id: number): Promise<string[]> {
	const { rows } = await sql<{ key: string }>`select key from term_spellings where term_id = ${id}`.execute(trx)
	return rows.map(({ key }) => key)
}

/** Waits until no other process of the site fills the terms; until the transaction ends none begins to. */
export async function takeTurn(trx: Executor): Promise<void> {
	await sql`select pg_advisory_xact_lock(hashtext('start set of terms'))`.execute(trx)
}

/** Which version of the data file the terms were last brought in line with. */
export async function findStartSetHash(): Promise<string | undefined> {
	return (await db().selectFrom('start_sets').select('hash').where('name', '=', 'terms').executeTakeFirst())?.hash
}

/** Notes that the terms, and what is written, are in line with this version of the data file. */
export async function saveStartSetHash(hash: string): Promise<void> {
	await sql`insert into start_sets (name, hash) values ('terms', ${hash}) on conflict (name) do update set hash = excluded.hash`.execute(
		db(),
	)
}

/**
 * Brings the terms in line with the data file: adds what is new, and changes what no moderator changed. A spelling that is
 * another term's already stays there, and one that a moderator took away stays away.
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
