import { sql } from 'kysely'
import { db } from '~/platform/db/db.server.ts'

/** Tables that an attempt may write to although it is refused, each with its reason. */
const unnoted = [
	// Refused attempts count as attempts.
	'rate_limits',
	// Refusals are logged for whoever keeps the site safe.
	'security_events',
	// When a token was last used.
	'access_tokens',
	// Counted again every hour by the site that is asked, whatever is asked of it.
	'similar_totals',
	'similar_words',
	// Made every minute by a job of the site, of questions that were written before.
	'question_vectors',
	// Found every minute by a job of the site, and noted when a question's page is opened.
	'related_questions',
	// How often members were looked for, by the job of a question that was asked before.
	'question_routing',
]

/**
 * Has the database note which of its tables had a row added, changed or removed, by triggers: the costs do not grow with the
 * rows, as those of hashing them do. Tables that are made later are not covered, nor is `truncate`.
 */
export async function noteWrites(): Promise<void> {
	await sql`create unlogged table noted_writes (name text not null)`.execute(db())
	await sql`
		create function note_write() returns trigger language plpgsql as $$
		begin
			if tg_op <> 'UPDATE' or new is distinct from old then insert into noted_writes values (tg_table_name); end if;
			return null;
		end $$`.execute(db())
	const { rows } = await sql<{ name: string }>`
		select tablename as name from pg_tables where schemaname = 'public' and tablename <> 'noted_writes'`.execute(db())
	for (const { name } of rows.filter(({ name }) => !unnoted.includes(name)))
		await sql`
			create trigger noted after insert or update or delete on ${sql.table(name)}
			for each row execute function note_write()`.execute(db())
}

/** The tables that were written to since the last call, in alphabetical order; a transaction that was undone leaves nothing. */
export async function takeNotedWrites(): Promise<string[]> {
	const { rows } = await sql<{ name: string }>`
		with taken as (delete from noted_writes returning name) select distinct name from taken order by name`.execute(db())
	return rows.map(({ name }) => name)
}
