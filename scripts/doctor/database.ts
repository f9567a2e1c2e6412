import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import type { Config } from '~/config.server.ts'
import { pluralize } from '~/lib/text.ts'
import { MAX_CONNECTIONS } from '~/platform/db/db.server.ts'
import { reachEmbeddedPostgres } from '~/platform/db/embedded-postgres.server.ts'
import { assessClock, errorMessageOf, type Finding, findings, underlyingCodeOf } from './finding.ts'

const say = findings('Database')
const MIN_VERSION = 15
const TIMEOUT_MS = 8_000
const extensions = ['pg_trgm', 'unaccent', 'btree_gin']
const migrations = fileURLToPath(new URL('../../migrations', import.meta.url))

/** Facts about the database. */
export interface DatabaseFacts {
	/** Such as 180004. */
	version: number
	encoding: string
	/** `on` for a replica, or where the provider allows reading only. */
	readOnly: string
	fsync: string
	fullPageWrites: string
	maxConnections: number
	/** The required extensions that are available. */
	extensions: string[]
	/** Names of applied migrations; empty for a database that no site has used yet. */
	migrations: string[]
	/** Milliseconds by which its clock is ahead of this machine's. */
	clockMs: number
}

/** Checks the database of DATABASE_URL, or the built-in one of the running site. */
export async function checkDatabase(settings: Config): Promise<Finding[]> {
	try {
		const facts = await askDatabase(settings, readFacts)
		const files = readdirSync(migrations).filter((name) => name.endsWith('.sql'))
		return assessDatabase(facts, files, settings.WEB_CONCURRENCY)
	} catch (error) {
		if (error instanceof NotStarted) return [say.warning(error.message)]
		return [say.fault(`The database cannot be used: ${errorMessageOf(error)}.${adviceOf(underlyingCodeOf(error))}`)]
	}
}

/** The built-in database does not run, as the site does not. */
class NotStarted extends Error {}

/** Queries the database on a new connection. @throws NotStarted, or an error of pg */
export async function askDatabase<Answer>(
	{ DATABASE_URL, dataDir }: Pick<Config, 'DATABASE_URL' | 'dataDir'>,
	ask: (client: pg.Client) => Promise<Answer>,
): Promise<Answer> {
	let client: pg.Client | undefined
	if (!DATABASE_URL && !isStarted(dataDir))
		throw new NotStarted('The site does not run, and its database runs with it. Start the site, then ask again.')
	try {
		const connection = DATABASE_URL ? { connectionString: DATABASE_URL } : await reachOnce(dataDir)
		client = new pg.Client({ ...connection, connectionTimeoutMillis: TIMEOUT_MS, query_timeout: TIMEOUT_MS })
		await client.connect()
		return await ask(client)
	} finally {
		await client?.end().catch(() => {})
	}
}

/** Whether the built-in database was started. One that was killed since then does not answer. */
function isStarted(dataDir: string): boolean {
	return existsSync(join(dataDir, 'postgres', 'postmaster.pid'))
}

const reached = new Map<string, Promise<pg.PoolConfig>>()

/** How to reach the built-in database. It is looked for once, as that takes half a minute where it does not answer. */
function reachOnce(dataDir: string): Promise<pg.PoolConfig> {
	const reaching = reached.get(dataDir) ?? reachEmbeddedPostgres(dataDir)
	reached.set(dataDir, reaching)
	return reaching
}

function adviceOf(code: string): string {
	if (/^28/.test(code)) return ' Look at the name and password in DATABASE_URL, and at pg_hba.conf.'
	if (code === '3D000') return ' Create it: createdb --owner=NAME DATABASE.'
	if (/^(ECONNREFUSED|ENOENT)$/.test(code)) return ' Nobody listens there: is PostgreSQL running, and at this address?'
	return code === 'ENOTFOUND' ? ' There is no such host in DNS.' : ''
}

async function readFacts(client: pg.Client): Promise<DatabaseFacts> {
	const began = Date.now()
	const { rows: clock } = await client.query<{ now: string }>(
		'select extract(epoch from clock_timestamp()) * 1000 as now',
	)
	const middle = (began + Date.now()) / 2
	const { rows } = await client.query<Omit<DatabaseFacts, 'migrations' | 'clockMs'> & { hasMigrations: boolean }>(
		`select current_setting('server_version_num')::int as version, current_setting('server_encoding') as encoding,
			current_setting('transaction_read_only') as "readOnly",
			current_setting('fsync') as fsync, current_setting('full_page_writes') as "fullPageWrites",
			current_setting('max_connections')::int as "maxConnections", to_regclass('migrations') is not null as "hasMigrations",
			array(select name::text from pg_available_extensions where name = any($1)) as extensions`,
		[extensions],
	)
	const [facts] = rows
	if (!facts) throw new Error('it answered nothing')
	const { rows: names } = facts.hasMigrations
		? await client.query<{ name: string }>('select name from migrations')
		: { rows: [] }
	return { ...facts, migrations: names.map(({ name }) => name), clockMs: Number(clock[0]?.now) - middle }
}

/** @param files names of the migrations of this version @param processes WEB_CONCURRENCY */
export function assessDatabase(facts: DatabaseFacts, files: readonly string[], processes: number): Finding[] {
	const major = Math.floor(facts.version / 10_000)
	const needed = processes * MAX_CONNECTIONS + 5
	const unknown = facts.migrations.filter((name) => !files.includes(name))
	const pending = files.filter((name) => !facts.migrations.includes(name))
	const missing = extensions.filter((name) => !facts.extensions.includes(name))
	const wrong: (Finding | false)[] = [
		major < MIN_VERSION && say.fault(`PostgreSQL ${major} is too old: it must be ${MIN_VERSION} or newer.`),
		facts.encoding !== 'UTF8' &&
			say.fault(
				`The database is in ${facts.encoding}, and must be in UTF8: createdb --encoding=UTF8 --template=template0.`,
			),
		facts.readOnly === 'on' &&
			say.fault(
				'It can only be read, so nothing can be saved: it is a replica, or its provider has closed it, often as its disk is full.',
			),
		facts.fsync !== 'on' && say.fault('fsync is off: what was stored may be lost with the power. Set fsync = on.'),
		facts.fullPageWrites !== 'on' &&
			say.fault('full_page_writes is off: a crash may leave pages half written. Set full_page_writes = on.'),
		missing.length > 0 &&
			say.fault(`PostgreSQL lacks the extensions ${missing.join(', ')}. On Debian they are in postgresql-contrib.`),
		facts.maxConnections < needed &&
			say.fault(
				`max_connections is ${facts.maxConnections}, and ${pluralize(processes, 'process', 'processes')} may need ${needed}. Raise it, or lower WEB_CONCURRENCY.`,
			),
		unknown.length > 0 &&
			say.fault(`It belongs to a newer version of the site: this one does not know ${unknown.join(', ')}.`),
		facts.migrations.length > 0 &&
			pending.length > 0 &&
			say.warning(`The next start brings it to this version, by ${pluralize(pending.length, 'migration')}.`),
	]
	const found = wrong.filter((finding) => finding !== false)
	const isWell = found.every(({ state }) => state !== 'fault')
	return [
		...(isWell ? [say.ok(`PostgreSQL ${major} answers, writes safely, and has what the site needs.`)] : []),
		...found,
		assessClock('Clock', 'the database', facts.clockMs),
	]
}
