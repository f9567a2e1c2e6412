import pg, { type PoolConfig } from 'pg'

/** The statements that the site has executed since the last reset. */
export interface StatementTotals {
	/** Milliseconds of planning and executing. */
	ms: number
	count: number
	/** The statements, most expensive first. */
	each: { text: string; ms: number; calls: number }[]
}

/** Milliseconds for which an idle site is observed, so that jobs that run every minute run once. */
const WATCHED_MS = 65_000

/** The cost of the statements of the site's role, by `pg_stat_statements`, without those of background jobs. */
export class Statements {
	private readonly database: pg.Client
	/** Ids of statements that run while the site is idle. */
	private readonly own: string[]

	private constructor(database: pg.Client, own: string[]) {
		this.database = database
		this.own = own
	}

	/** Enables statistics of statements from the next start on. @param admin the superuser */
	static async prepare(admin: PoolConfig): Promise<void> {
		const client = new pg.Client({ ...admin, database: 'devquad' })
		await client.connect()
		try {
			await client.query('create extension pg_stat_statements')
			for (const setting of [`shared_preload_libraries = 'pg_stat_statements'`, `autovacuum = off`])
				await client.query(`alter system set ${setting}`)
			await client.query(`alter system set "pg_stat_statements.track_planning" = on`)
		} finally {
			await client.end()
		}
	}

	/** @param database a connection of the superuser that is used for nothing else */
	static async of(database: pg.Client): Promise<Statements> {
		const idle = new Statements(database, [])
		await idle.reset()
		process.stdout.write('Watching what the site does by itself …\n')
		await new Promise((passed) => setTimeout(passed, WATCHED_MS))
		const { rows } = await database.query<{ id: string }>(
			`select queryid::text as id from pg_stat_statements where userid = 'devquad'::regrole and query !~* '^(begin|commit|rollback)'`,
		)
		return new Statements(
			database,
			rows.map(({ id }) => id),
		)
	}

	async reset(): Promise<void> {
		await this.database.query('select pg_stat_statements_reset()')
	}

	async read(): Promise<StatementTotals> {
		const { rows: each } = await this.database.query<StatementTotals['each'][number]>(
			`select regexp_replace(query, '\\s+', ' ', 'g') as text, total_plan_time + total_exec_time as ms, calls::int as calls from pg_stat_statements
			where userid = 'devquad'::regrole and queryid <> all($1::bigint[]) order by ms desc`,
			[this.own],
		)
		const sum = (of: (one: StatementTotals['each'][number]) => number) =>
			each.reduce((total, one) => total + of(one), 0)
		return { ms: sum(({ ms }) => ms), count: sum(({ calls }) => calls), each }
	}
}
