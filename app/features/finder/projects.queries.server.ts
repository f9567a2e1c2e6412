import { type RawBuilder, sql } from 'kysely'
import { isListed } from '~/features/members/members.queries.server.ts'
import { db } from '~/platform/db/db.server.ts'

/** Matches that are ranked and counted; projects of the newest members take precedence. */
const MAX_RANKED = 150

export interface ProjectHitRow {
	project_id: string
	project_title: string
	project_tech_stack: string[]
	project_description: string
	username: string
	name: string
	image: string | null
	/** As text, so that a cursor is exact. */
	rank: string
	/** The number of matches, up to {@link MAX_RANKED}. */
	found: number
	/** The words of the search as lexemes. */
	lexemes: string[]
}

/** A search for projects; without words and filters it matches nothing. */
export interface ProjectSearch {
	/** In the syntax of `websearch_to_tsquery`; all must match. */
	words: string[]
	/** Prefixes of letters and digits; all must match. */
	beginnings: string[]
	/** Technologies in any spelling; all must match. */
	technologies: string[]
	/** Usernames of possible owners; null for any. */
	owners: string[] | null
}

/** The cursor of a page. */
export interface ProjectPosition {
	rank: string
	id: string
}

/**
 * Public projects of listed members, best match first: title before technologies before description.
 * @param after the cursor; null for the first page
 */
export async function listProjectHits(
	{ words, beginnings, technologies, owners }: ProjectSearch,
	after: ProjectPosition | null,
	limit: number,
): Promise<ProjectHitRow[]> {
	const parts = [
		...words.map((each) => sql`websearch_to_tsquery('english', search_text(${each}))`),
		...beginnings.map((each) => sql`to_tsquery('english', ${`${each}:*`})`),
	]
	const wanted = parts.length > 0 ? sql`${sql.join(parts, sql` && `)}` : sql`''::tsquery`
	const conditions: RawBuilder<unknown>[] = [sql`true`]
	if (parts.length > 0) conditions.push(sql`p.search @@ wanted.words`)
	if (technologies.length > 0)
		conditions.push(sql`term_keys(p.project_tech_stack) @> term_keys(${technologies}::text[])`)
	if (owners) conditions.push(sql`users.id in (select user_id from usernames where username = any(${owners}::text[]))`)
	const { rows } = await sql<ProjectHitRow>`
		with wanted as materialized (select ${wanted} as words),
		newest as materialized (
			select p.project_id from wanted cross join shown_projects p join users on users.id = p.user_id
			where ${sql.join(conditions, sql` and `)} and ${isListed}
			order by p.user_id desc, p.project_id limit ${MAX_RANKED}),
		-- Ranking reads whole documents, so only those of the candidates.
		found as materialized (
			select project_id, ts_rank('{0.1, 0.2, 0.5, 1.0}', p.search, wanted.words)::float8 as rank
			from wanted cross join newest join shown_projects p using (project_id)),
		page as (
			select * from found ${after ? sql`where (rank, project_id) < (${after.rank}::float8, ${after.id}::uuid)` : sql``}
			order by rank desc, project_id desc limit ${limit})
		select p.project_id, p.project_title, p.project_tech_stack, left(p.project_description, 2000) as project_description,
			users.username, users.name, users.image, page.rank::text as rank, (select count(*)::int from found) as found,
			array(select distinct word[1] from wanted, regexp_matches(querytree(words)::text, '''([^'']+)''', 'g') as word) as lexemes
		from page join shown_projects p using (project_id) join users on users.id = p.user_id
		order by page.rank desc, page.project_id desc`.execute(db())
	return rows
}
