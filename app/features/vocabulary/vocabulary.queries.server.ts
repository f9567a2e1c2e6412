import { sql } from 'kysely'
import { db } from '~/platform/db/db.server.ts'
import type { TermLine } from './vocabulary.view.ts'

/** The cursor of a list: uses and id of the last term. */
export type TermPosition = [uses: number, id: number]

/**
 * Terms by use, most used first: profiles with the skill plus questions with the tag, from counters.
 * @param ids restricts the list; null for all
 */
export async function listTermLines(
	ids: number[] | null,
	after: TermPosition | null,
	limit: number,
): Promise<TermLine[]> {
	const { rows } = await sql<TermLine>`
		select * from (
			select t.id, t.name, t.tag, coalesce(member_count, 0) + coalesce(question_count, 0) as uses,
				array(select spelling from term_spellings where term_id = t.id and key not in (term_key(t.name), term_key(t.tag))
					order by spelling limit 6) as aliases
			from vocabulary_terms t left join skills on skills.name_key = lower(t.name) left join tags on tags.name = t.tag
			${ids === null ? sql`` : sql`where t.id = any(${ids}::int[])`}) listed
		${after === null ? sql`` : sql`where (uses, -id) < (${after[0]}, -${after[1]}::int)`}
		order by uses desc, id limit ${limit}`.execute(db())
	return rows
}
