import { type Generated, sql } from 'kysely'
import { db } from '~/platform/db/db.server.ts'

declare module '~/platform/db/schema.ts' {
	interface Database {
		missed_searches: { day: Generated<Date>; words: string; searches: Generated<number> }
	}
}

/** Distinct searches recorded per day, so that nobody can fill the table. */
const MAX_WORDS_A_DAY = 2_000

export interface MissRow {
	words: string
	searches: number
	last_day: string
}

/** Counts a search of today without results. */
export async function writeMiss(words: string): Promise<void> {
	await sql`
		insert into missed_searches (day, words)
		select today, ${words} from site_today() as today
		where (select count(*) from missed_searches where day = today) < ${MAX_WORDS_A_DAY}
			or exists (select from missed_searches where day = today and words = ${words})
		on conflict (day, words) do update set searches = missed_searches.searches + 1`.execute(db())
}

/** Searches without results within these days, most frequent first. */
export async function listMissRows(days: number, limit: number): Promise<MissRow[]> {
	const { rows } = await sql<MissRow>`
		select words, sum(searches)::int as searches, max(day)::text as last_day from missed_searches
		where day > (select site_today()) - ${days}::int group by words order by searches desc, last_day desc, words limit ${limit}`.execute(
		db(),
	)
	return rows
}

/** Deletes searches for a leaving member by whole words: a hidden profile is not found by its name. */
export async function deleteMissesOf({
	name,
	usernames,
}: {
	name: string
	usernames: readonly string[]
}): Promise<void> {
	const words = [name.normalize('NFKC').toLowerCase(), ...usernames]
	await sql`
		delete from missed_searches
		where exists (select from unnest(${words}::text[]) as word where position(' ' || word || ' ' in ' ' || words || ' ') > 0)`.execute(
		db(),
	)
}
