import { once } from 'node:events'
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { pool } from '~/platform/db/db.server.ts'
import { countFailed } from '../faults/load.ts'
import { serving, stopInTurn } from '../faults/orderly-stop.ts'
import { ChatRun } from '../support/chat-run.ts'
import { hasServers, type RunningCluster, startCluster } from '../support/cluster.ts'
import { useDatabase } from '../support/database.ts'
import { askAt, testDatabaseUrl } from '../support/members-site.ts'
import { spawnSite } from '../support/site-process.ts'

/*
 * Three nodes behind nginx are restarted one by one while visitors read and members write to each other. The first to come back is of
 * a version with more migrations, so that for a while nodes of two versions serve on one database.
 * `npm run test:restarts -- --rounds 7` restarts them 21 times.
 */

useDatabase()

const rounds = Number(process.env.RESTART_ROUNDS ?? 1)
/** How many ask for pages at the same time; members who write come beside them. */
const clients = 8
const secret = 'a secret that only these tests know of'

const root = fileURLToPath(new URL('../..', import.meta.url))
/** A copy of the project, whose migrations can be added to. The build is that of the project. */
const project = mkdtempSync(join(tmpdir(), 'devquad-versions-'))

/** A table and columns more: what the version before never asks for. */
const nextMigration = `create table of_the_next_version (id integer generated always as identity primary key, note text not null);
alter table messages add column of_the_next_version integer not null default 0;
alter table users add column of_the_next_version text;
create index of_the_next_version_newest on messages (of_the_next_version, id);`

describe.skipIf(!hasServers)('three nodes behind nginx (needs nginx and redis-server)', () => {
	let cluster: RunningCluster

	beforeAll(async () => {
		const sources = ['app', 'server', 'public', 'vite.config.ts', 'react-router.config.ts', 'package-lock.json']
		for (const name of [...sources, 'scripts', 'migrations', 'package.json'])
			cpSync(join(root, name), join(project, name), { recursive: true, preserveTimestamps: true })
		for (const name of ['node_modules', 'build']) symlinkSync(join(root, name), join(project, name))
		cluster = await startCluster({ DATABASE_URL: await testDatabaseUrl(), AUTH_SECRET: secret }, project)
	})

	afterAll(async () => {
		await cluster?.stop()
		rmSync(project, { recursive: true, force: true })
	})

	test(`are restarted ${rounds * 3} times, into a version with more tables: no request fails, and no message is lost`, async () => {
		const site = {
			ask: (path: string, cookie: string, form?: Record<string, string>) => askAt(cluster.url, path, cookie, form),
		}
		const run = new ChatRun()
		await run.meet(site, 3, () => cluster.url)
		writeFileSync(join(project, 'migrations', '9999_next_version.sql'), nextMigration)
		run.begin(Number.POSITIVE_INFINITY)
		const figures = await stopInTurn(rounds, cluster.url, () => serving(cluster.pid), cluster.nodes, clients)
		// The restarts may be over before anybody has edited or deleted anything.
		await expect.poll(() => run.hasChanges).toBe(true)
		run.end()
		expect(figures.map((one) => ({ ...one, failures: countFailed(one) }))).toEqual(
			figures.map(() => expect.objectContaining({ failures: 0, failed: {}, refused: 0 })),
		)
		expect(figures.every(({ sent }) => sent > 50)).toBe(true)
		await run.judge(10)
		const { rows } = await pool().query("select 1 from migrations where name = '9999_next_version.sql'")
		expect(rows).toHaveLength(1)
	}, 1_200_000)

	test('the version before refuses to start on the newer tables, in one sentence', async () => {
		const older = spawnSite({
			DATABASE_URL: await testDatabaseUrl(),
			AUTH_SECRET: secret,
			DATA_DIR: project,
			PORT: '0',
		})
		expect(await once(older.child, 'close')).toEqual([1, null])
		expect(older.output()).toBe(
			'The database of DATABASE_URL cannot be used: The database belongs to a newer version of the site: it has the migration 9999_next_version.sql, which this version does not know.\n',
		)
	})
})
