import { sql } from 'kysely'
import { db } from '~/platform/db/db.server.ts'
import { termKey } from './terms.view.ts'

/* SQL of the upgrade preview. It also reads the tables of earlier versions, which have synonyms of tags but no terms. */

/** Whether the database contains a site of any version. */
export async function hasSite(): Promise<boolean> {
	const { rows } = await sql<{ found: boolean }>`
		select to_regclass('skills') is not null and to_regclass('tags') is not null as found`.execute(db())
	return rows[0]?.found ?? false
}

/** Whether the site has the tables of terms. */
export async function hasTerms(): Promise<boolean> {
	const { rows } = await sql<{ found: boolean }>`select to_regclass('vocabulary_terms') is not null as found`.execute(
		db(),
	)
	return rows[0]?.found ?? false
}

interface StoredTerms {
	/** Spellings by key, as a name and as a tag. */
	spellings: { key: string; name: string; tag: string }[]
	/** Tags of terms that a moderator changed. */
	edited: Set<string>
	/** Keys that a moderator removed from a term. */
	removed: Set<string>
}

/** The site's terms, or the synonyms of tags in an earlier version. */
export async function listStoredTerms(isNew: boolean): Promise<StoredTerms> {
	if (isNew) {
		const { rows } = await sql<{ key: string; name: string | null; tag: string | null; edited: boolean }>`
			select key, name, tag, edited_at is not null as edited from term_spellings
			left join vocabulary_terms t on t.id = term_id`.execute(db())
		return {
			spellings: rows.flatMap(({ key, name, tag }) => (name !== null && tag !== null ? [{ key, name, tag }] : [])),
			edited: new Set(rows.flatMap(({ tag, edited }) => (edited && tag ? [tag] : []))),
			removed: new Set(rows.flatMap(({ key, tag }) => (tag === null ? [key] : []))),
		}
	}
	const { rows } = await sql<{ name: string; main: string; skill: string }>`
		select s.name, s.main, coalesce((select skills.name from skills where name_key = s.main), s.main) as skill
		from tag_synonyms s order by s.main, s.name`.execute(db())
	const mains = rows.map(({ main, skill }) => ({ key: termKey(main), name: skill, tag: main }))
	const others = rows.map(({ name, main, skill }) => ({ key: termKey(name), name: skill, tag: main }))
	const spellings = new Map([...others, ...mains].map((row) => [row.key, row]))
	return { spellings: [...spellings.values()], edited: new Set(), removed: new Set() }
}

/** All words in use, with their places. Earlier versions have another name for the column that counts a tag's questions. */
export async function listUsedWords(): Promise<{ place: string; word: string; uses: number }[]> {
	const { rows } = await sql<{ place: string; word: string; uses: number }>`
		select 'skills' as place, name as word, member_count as uses from skills where member_count > 0
		union all
		select 'tags', name, uses from (
			select name, coalesce(to_jsonb(tags) ->> 'question_count', to_jsonb(tags) ->> 'query_count')::int as uses from tags) counted
			where uses > 0
		union all
		select 'projects', word, count(*)::int from projects, unnest(project_tech_stack) as word group by word`.execute(
		db(),
	)
	return rows
}
