import { type Generated, sql } from 'kysely'
import { db, type Executor } from '~/platform/db/db.server.ts'
import type { BackupRun } from './runs.view.ts'

declare module '~/platform/db/schema.ts' {
	interface Database {
		backups: {
			id: Generated<number>
			started_at: Generated<Date>
			ended_at: Date | null
			file: string | null
			bytes: string | null
			error: string | null
			trouble: string | null
			made_at: Date | null
		}
	}
}

/** The jobs that make backups: the one of each hour, and the one that an admin asked for. */
const TASKS = ['back-up', 'back-up-now']

/**
 * When the newest successful backup was made; null without one. Leaves out one that was made while the clock was ahead: it would be
 * the newest for a long time.
 */
export async function lastBackupAt(): Promise<Date | null> {
	const { rows } = await sql<{ at: Date | null }>`
		select max(coalesce(made_at, started_at)) as at from backups
		where file is not null and coalesce(made_at, started_at) <= now()`.execute(db())
	return rows[0]?.at ?? null
}

/** When backups were last turned on or off; null if never. @param setting the name of the setting */
export async function lastSwitchedAt(section: string, setting: string): Promise<Date | null> {
	const { rows } = await sql<{ at: Date | null }>`
		select max(c.at) as at from site_setting_changes c join site_settings s on s.id = c.section_id
		where s.section = ${section} and c.changes ? ${setting} and c.at <= now()`.execute(db())
	return rows[0]?.at ?? null
}

/** The last finished run; undefined without one. */
export async function findLastRun(): Promise<
	{ ended_at: Date | null; error: string | null; trouble: string | null } | undefined
> {
	return db()
		.selectFrom('backups')
		.select(['ended_at', 'error', 'trouble'])
		.where('ended_at', 'is not', null)
		.orderBy('ended_at', 'desc')
		.limit(1)
		.executeTakeFirst()
}

/** When this run and the one before it were started; null for none. */
export async function findStarts(id: number): Promise<{ at: Date | null; before: Date | null }> {
	const { rows } = await sql<{ at: Date | null; before: Date | null }>`
		select max(started_at) filter (where id = ${id}) as at, max(started_at) filter (where id < ${id}) as before
		from backups where id <= ${id} and started_at <= now()`.execute(db())
	return rows[0] ?? { at: null, before: null }
}

/** Records that the process of the unfinished run ended, unless another job still makes it. @returns the id of that run; null for none */
export async function endBrokenOff(): Promise<number | null> {
	const { rows } = await sql<{ id: number }>`
		update backups set ended_at = now(), error = 'The process that was making it ended.'
		where ended_at is null and (
			select count(*) from graphile_worker.jobs where task_identifier = any(${TASKS}) and locked_at is not null) < 2
		returning id`.execute(db())
	return rows[0]?.id ?? null
}

/** Records the start of a backup by a job. @returns its id, or null while another job makes one */
export async function beginBackup(): Promise<number | null> {
	const { rows } = await sql<{ id: number }>`
		insert into backups default values on conflict do nothing returning id`.execute(db())
	return rows[0]?.id ?? null
}

/**
 * Records where a backup is stored, and why older ones could not be removed; or why it failed.
 * @param end.madeAt when it was made, if that was by an earlier run; otherwise null
 */
export async function endBackup(
	id: number,
	end: { file: string; bytes: number; trouble: string | null; madeAt: Date | null } | { error: string },
): Promise<void> {
	const none = { file: null, bytes: null, trouble: null, error: null, madeAt: null }
	const { file, bytes, trouble, error, madeAt } = { ...none, ...end }
	await sql`
		update backups set made_at = ${madeAt}::timestamptz, ended_at = now(), file = ${file}, bytes = ${bytes}, trouble = ${trouble}, error = ${error}
		where id = ${id}`.execute(db())
}

/** Deletes the records that are older than this many days. */
export async function deleteOldRuns(days: number): Promise<void> {
	await sql`delete from backups where ended_at < now() - make_interval(days => ${days})`.execute(db())
}

/** The newest runs. @param most their maximum number */
export async function listRuns(most: number): Promise<BackupRun[]> {
	const { rows } = await sql<{
		id: number
		started_at: Date
		seconds: number | null
		file: string | null
		bytes: string | null
		error: string | null
		trouble: string | null
	}>`
		select id, started_at, extract(epoch from ended_at - started_at)::float8 as seconds, file, bytes, error, trouble
		from backups order by started_at desc, id desc limit ${most}`.execute(db())
	return rows.map(({ started_at, bytes, ...run }) => ({
		...run,
		startedAt: started_at.toISOString(),
		bytes: bytes === null ? null : Number(bytes),
		state: run.error ? 'failed' : run.file ? 'stands' : 'running',
	}))
}

/** Whether a backup is running or queued. One whose process has ended is neither. */
export async function isBackupRunning(trx: Executor): Promise<boolean> {
	const { rows } = await sql<{ is: boolean }>`
		select exists (select from backups where ended_at is null)
			and exists (select from graphile_worker.jobs where task_identifier = any(${TASKS}) and locked_at is not null)
			or exists (select from graphile_worker.jobs where task_identifier = 'back-up-now') as is`.execute(trx)
	return rows[0]?.is ?? false
}
