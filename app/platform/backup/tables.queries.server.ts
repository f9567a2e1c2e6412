import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'
import { codeOf } from '~/lib/system-errors.ts'
import { pool } from '~/platform/db/db.server.ts'

/** A table that a backup holds. */
export interface TableShape {
	name: string
	/** The stored columns, without computed ones, in order. */
	columns: string[]
}

/** Checksum of a table, compared after a restore. */
export interface TableTotal {
	rows: number
	/** Hexadecimal SHA-256 of all rows in COPY format. */
	sha256: string
}

/** A job that waited when the backup was made, as `graphile_worker.add_job` takes it. */
export interface WaitingJob {
	identifier: string
	payload: unknown
	queue: string | null
	run_at: string
	max_attempts: number
	key: string | null
	priority: number
}

/** Bytes of rows that are collected in memory before they are written. */
const PIECE_BYTES = 4 * 2 ** 20

/** Makes the text form of values independent of the connection. */
const SETTINGS = `set timezone = 'UTC'; set datestyle = 'ISO'; set intervalstyle = 'postgres'; set extra_float_digits = 1;
	set bytea_output = 'hex'; set client_encoding = 'UTF8'`

/** A connection to the open database outside the pool, whose connections cannot COPY. The caller ends it. */
export async function connectOutsidePool(): Promise<pg.Client> {
	const { Client: _client, password, ...options } = pool().options
	const client = new pg.Client({ ...options, password, pipeline: false } as pg.ClientConfig)
	// The current statement gets the error.
	client.on('error', () => {})
	await client.connect()
	return client
}

/** Attempts to lock all tables for a snapshot, one a second. */
const MAX_LOCK_TRIES = 60

/**
 * Begins a transaction that sees one snapshot of the database, and keeps others from rebuilding a table until it ends: a rebuilt table is
 * empty in a snapshot that was taken before. It waits for nobody who locks a table while it has locks itself, as a migration would lose
 * the deadlock.
 */
export async function beginSnapshot(client: pg.ClientBase): Promise<void> {
	await client.query(SETTINGS)
	for (let tries = 1; ; tries += 1) {
		const names = (await listTables(client)).map(({ name }) => `public.${quoted(name)}`)
		// The snapshot is taken by the first statement after the locks.
		await client.query('begin isolation level repeatable read read only')
		if (names.length === 0) return
		try {
			await client.query(`lock table ${names.join(', ')} in access share mode nowait`)
			return
		} catch (error) {
			await client.query('rollback')
			// A table may also be dropped between the list and the lock.
			if (!['55P03', '42P01'].includes(codeOf(error))) throw error
			if (tries === MAX_LOCK_TRIES)
				throw new Error(
					'A table of the database has been locked for a minute, as by a migration or an administrator’s command.',
					{
						cause: error,
					},
				)
			await sleep(1_000)
		}
	}
}

/**
 * The site's tables, without `migrations`, which a restore fills by migrating, the mark of a restored site, and unlogged ones, which a
 * crash empties.
 */
export async function listTables(client: pg.ClientBase): Promise<TableShape[]> {
	const { rows } = await client.query<TableShape>(
		`select c.relname as name, array_agg(a.attname::text order by a.attnum) as columns
		 from pg_class c join pg_attribute a on a.attrelid = c.oid
		 where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relpersistence = 'p' 
			and c.relname not in ('migrations', 'restored_site')
			and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
		 group by c.relname order by c.relname`,
	)
	return rows
}

/** The names of the migrations that were applied; none where there are no tables yet. */
export async function listMigrations(client: pg.ClientBase): Promise<string[]> {
	const { rows: found } = await client.query(`select to_regclass('public.migrations') as name`)
	if (!found[0].name) return []
	const { rows } = await client.query<{ name: string }>('select name from migrations order by name')
	return rows.map(({ name }) => name)
}

/** The last value of each sequence; null where it has not been used. */
export async function readSequences(client: pg.ClientBase): Promise<Record<string, string | null>> {
	const { rows } = await client.query<{ name: string; value: string | null }>(
		`select sequencename as name, last_value::text as value from pg_sequences where schemaname = 'public' order by 1`,
	)
	return Object.fromEntries(rows.map(({ name, value }) => [name, value]))
}

/** Pending and running jobs, without those that failed permanently. None where no site has started yet. */
export async function readWaitingJobs(client: pg.ClientBase): Promise<WaitingJob[]> {
	const { rows: found } = await client.query(`select to_regclass('graphile_worker._private_jobs') as name`)
	if (!found[0].name) return []
	const { rows } = await client.query<WaitingJob>(
		`select t.identifier, j.payload, q.queue_name as queue, j.run_at::text, j.max_attempts, j.key, j.priority
		 from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
			left join graphile_worker._private_job_queues q on q.id = j.job_queue_id
		 where j.attempts < j.max_attempts order by j.id`,
	)
	return rows
}

/**
 * The rows of a table in COPY format, in pieces of a few megabytes; each piece ends with a whole row.
 * @returns the totals, once all pieces are read
 */
export async function* copyOut(client: pg.ClientBase, table: TableShape): AsyncGenerator<Buffer, TableTotal> {
	const hash = createHash('sha256')
	const stream = client.query(copyTo(`copy ${target(table)} to stdout`))
	let buffered: Buffer[] = []
	let size = 0
	for await (const chunk of stream as AsyncIterable<Buffer>) {
		hash.update(chunk)
		buffered.push(chunk)
		size += chunk.length
		if (size < PIECE_BYTES) continue
		const rows = Buffer.concat(buffered)
		const end = rows.lastIndexOf('\n') + 1
		if (end > 0) yield rows.subarray(0, end)
		buffered = [rows.subarray(end)]
		size = rows.length - end
	}
	if (size > 0) yield Buffer.concat(buffered)
	return { rows: stream.rowCount, sha256: hash.digest('hex') }
}

/** Inserts a piece of {@link copyOut}. */
export async function copyIn(client: pg.ClientBase, table: TableShape, piece: Uint8Array): Promise<void> {
	await pipeline(Readable.from([piece]), client.query(copyFrom(`copy ${target(table)} from stdin`)))
}

/** Bytes of each table on disk, to show progress; more than its backup takes. */
export async function readSizes(client: pg.ClientBase, tables: TableShape[]): Promise<number[]> {
	const { rows } = await client.query<{ bytes: string }>(
		`select pg_table_size(format('public.%I', name)::regclass) as bytes from unnest($1::text[]) with ordinality as t (name, place) order by place`,
		[tables.map(({ name }) => name)],
	)
	return rows.map(({ bytes }) => Number(bytes))
}

/** The totals of a table as it is now. */
export async function totalOf(client: pg.ClientBase, table: TableShape): Promise<TableTotal> {
	const pieces = copyOut(client, table)
	for (;;) {
		const { done, value } = await pieces.next()
		if (done) return value
	}
}

function target({ name, columns }: TableShape): string {
	return `public.${quoted(name)} (${columns.map(quoted).join(', ')})`
}

function quoted(name: string): string {
	return `"${name.replaceAll('"', '""')}"`
}

/** Whether the site has accounts besides the one of former members (0), which always exists; false where there are no tables yet. */
export async function hasMembers(client: pg.ClientBase): Promise<boolean> {
	const { rows } = await client.query(`select to_regclass('public.users') as name`)
	if (!rows[0].name) return false
	const { rowCount } = await client.query('select from users where id <> 0 limit 1')
	return rowCount === 1
}

/** How many other connections use this database. */
export async function countOtherConnections(client: pg.ClientBase): Promise<number> {
	const { rows } = await client.query<{ count: number }>(
		`select count(*)::int as count from pg_stat_activity
		 where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`,
	)
	return rows[0]?.count ?? 0
}

/** Drops the tables and functions of a site without members, so that an earlier version's can be created. */
export async function dropEverything(client: pg.ClientBase): Promise<void> {
	await client.query('drop schema if exists graphile_worker cascade')
	await client.query('drop schema public cascade')
	await client.query('create schema public')
}

/**
 * Begins a transaction with empty tables, into which rows are loaded as they are: triggers are off, and foreign keys are checked at
 * the end.
 * @param check runs while nobody else can register; when it throws, nothing has changed
 * @returns a function to call before the commit; it throws when a row refers to a missing one
 */
export async function beginLoading(
	client: pg.ClientBase,
	tables: TableShape[],
	check: () => Promise<void>,
): Promise<() => Promise<void>> {
	await client.query(SETTINGS)
	await client.query('begin')
	await client.query('lock table public.users')
	await check()
	const { rows: keys } = await client.query<{ name: string; tab: string; definition: string }>(
		`select quote_ident(conname) as name, conrelid::regclass::text as tab, pg_get_constraintdef(oid) as definition
		 from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace order by conrelid, conname`,
	)
	const names = tables.map(({ name }) => `public.${quoted(name)}`)
	for (const { tab, name } of keys) await client.query(`alter table ${tab} drop constraint ${name}`)
	for (const name of names) await client.query(`alter table ${name} disable trigger user`)
	await client.query(`truncate ${names.join(', ')}`)
	return async () => {
		for (const { tab, name, definition } of keys)
			await client.query(`alter table ${tab} add constraint ${name} ${definition}`)
		for (const name of names) await client.query(`alter table ${name} enable trigger user`)
	}
}

/** Ids that a restore leaves out in each sequence, and versions of each conversation and each draft. */
const LEFT_OUT_IDS = 10_000

/**
 * Makes every sequence leave out ids. Those after the backup were given to what is lost: to links, mails and open tabs that name it,
 * something new with the same id would be what they mean. The same holds for versions of a conversation: an open tab asks for what came
 * after the one it knows, and recognizes a restore by the difference. By that of a draft, the browser knows that it may have a later text.
 */
export async function leaveOutIds(client: pg.ClientBase): Promise<void> {
	await client.query(
		`select setval(format('public.%I', sequencename)::regclass, least(coalesce(last_value, 0) + $1, max_value))
		 from pg_sequences where schemaname = 'public' and data_type <> 'smallint'::regtype`,
		[LEFT_OUT_IDS],
	)
	for (const table of ['conversations', 'drafts'])
		await client.query(`update public.${table} set version = version + $1`, [LEFT_OUT_IDS])
}

/** Sets sequences, which then leave out ids, and adds jobs as the backup lists them. */
export async function restoreCounters(
	client: pg.ClientBase,
	sequences: Record<string, string | null>,
	jobs: WaitingJob[],
): Promise<void> {
	for (const [name, value] of Object.entries(sequences))
		await client.query(
			`select setval(format('public.%I', $1::text)::regclass, coalesce($2::bigint, 1), $2 is not null)`,
			[name, value],
		)
	await leaveOutIds(client)
	for (const { identifier, payload, queue, run_at, max_attempts, key, priority } of jobs)
		await client.query(
			`select graphile_worker.add_job($1, payload => $2::json, queue_name => $3, run_at => $4::timestamptz, max_attempts => $5,
				job_key => $6, priority => $7)`,
			[identifier, JSON.stringify(payload), queue, run_at, max_attempts, key, priority],
		)
}
