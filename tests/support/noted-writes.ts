import { sql } from 'kysely'
import { db } from '~/platform/db/db.server.ts'
import { eventually } from './eventually.ts'

/** Tables that a refused attempt may write to, each with the reason. */
const unnoted = [
	// Refused attempts are counted.
	'rate_limits',
	// Refusals are logged.
	'security_events',
	// The last use of a token.
	'access_tokens',
	// Recounted every hour by the site.
	'similar_totals',
	'similar_words',
	// Computed every minute by a job, for earlier questions.
	'question_vectors',
	// Emptied by jobs in the first minutes after an update.
	'reindexing',
	'reindexing_messages',
	// Computed every minute by a job, and marked when a question is opened.
	'related_questions',
	// Rounds of earlier questions, by a job.
	'question_routing',
]

/**
 * Installs triggers that record which tables were written to: unlike hashing, the cost does not grow with the rows. Later tables and
 * `truncate` are not covered.
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

/** The tables written to since the last call, sorted; rolled back transactions do not count. */
export async function takeNotedWrites(): Promise<string[]> {
	const { rows } = await sql<{ name: string }>`
		with taken as (delete from noted_writes returning name) select distinct name from taken order by name`.execute(db())
	return rows.map(({ name }) => name)
}

/** Forgets what was written so far, once the site has run all jobs that are due: those of earlier requests write to the database. */
export async function forgetNotedWrites(): Promise<void> {
	await eventually(async () => {
		// In one statement, which sees all that ended jobs have written: some thousand attempts call this.
		const { rows } = await sql`
			with forgotten as (delete from noted_writes)
			select from graphile_worker._private_jobs where run_at <= now() and attempts < max_attempts limit 1`.execute(db())
		if (rows.length > 0) throw new Error('A job is due or running.')
	})
}
