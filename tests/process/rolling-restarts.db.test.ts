import { once } from 'node:events'
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { pool } from '~/platform/db/db.server.ts'
import { countFailed, type LoadFigures, startLoad } from '../faults/load.ts'
import { stopInTurn } from '../faults/orderly-stop.ts'
import { ChatRun } from '../support/chat-run.ts'
import { hasServers } from '../support/cluster.ts'
import { useDatabase } from '../support/database.ts'
import { type MembersSite, requestPage, testDatabaseUrl } from '../support/members-site.ts'
import { type NodesBehindNginx, openNginx } from '../support/nodes-behind-nginx.ts'
import { spawnSite } from '../support/site-process.ts'
import { listFixtures, loadFixture, unpackFiles } from '../support/upgrade/fixture.ts'
import { loggedInBefore, restoreDump } from '../support/upgrade/old-site.ts'

/*
 * Three nodes behind nginx are restarted one by one while visitors and members read, and members write to each other. The first one
 * restarts with a version that has more migrations, so that nodes of two versions serve on one database for a while. `npm run test:restarts
 * -- --rounds 7` restarts them 21 times, on a site that was updated from version 0.1.0 under the same traffic: after its nodes have
 * stopped, the first new ones migrate its tables. upgrade.db.test.ts reads such a site.
 */

const isLongRun = process.env.RESTART_ROUNDS !== undefined

useDatabase(isLongRun ? 'template0' : undefined)

const rounds = Number(process.env.RESTART_ROUNDS ?? 1)
/** Concurrent readers, half of them members; writers come in addition. */
const clients = 8
/** The longest think time in milliseconds while a node starts, beside other tests: it is ready sooner, and leaves them the processor. */
const calmMs = 400
/** The maximum wait in milliseconds during the migration: nginx gives up after 60 s. */
const patienceMs = 60_000
const secret = 'a secret that only these tests know of'

const root = fileURLToPath(new URL('../..', import.meta.url))
/** A copy of the project to which migrations can be added, with the project's build. */
const project = mkdtempSync(join(tmpdir(), 'devquad-versions-'))

/** A new table and columns, which the previous version never uses. */
const nextMigration = `create table of_the_next_version (id integer generated always as identity primary key, note text not null);
alter table messages add column of_the_next_version integer not null default 0;
alter table users add column of_the_next_version text;
create index of_the_next_version_newest on messages (of_the_next_version, id);`

describe.skipIf(!hasServers)('three nodes behind nginx (needs nginx and redis-server)', () => {
	const run = new ChatRun()
	let site: NodesBehindNginx
	let cookies: string[]

	beforeAll(async () => {
		const sources = ['app', 'server', 'public', 'vite.config.ts', 'react-router.config.ts', 'package-lock.json']
		for (const name of [...sources, 'scripts', 'migrations', 'package.json'])
			cpSync(join(root, name), join(project, name), { recursive: true, preserveTimestamps: true })
		for (const name of ['node_modules', 'build']) symlinkSync(join(root, name), join(project, name))
		const DATA_DIR = mkdtempSync(join(tmpdir(), 'devquad-nodes-'))
		if (isLongRun) {
			const before = loadFixture(listFixtures()[0] ?? '')
			await restoreDump(before.dump)
			unpackFiles(DATA_DIR, before.files)
		}
		site = await openNginx({ DATABASE_URL: await testDatabaseUrl(), AUTH_SECRET: secret, DATA_DIR }, project)
	})

	afterAll(async () => {
		await site?.stop()
		rmSync(project, { recursive: true, force: true })
	})

	test.runIf(isLongRun)('are updated from 0.1.0: whoever comes meanwhile waits and is answered', async () => {
		const members = await loggedInBefore(site.url, secret)
		cookies = members.flat().map(({ cookie }) => cookie)
		const load = startLoad([site.url], { clients, patienceMs, cookies })
		const greetings = members.map(([one, other], index) => run.greet(one, other, index === 0 ? 2 : 1, 2 * patienceMs))
		const began = performance.now()
		await site.start()
		const startedAfter = performance.now() - began
		await Promise.all(greetings)
		const figures = await load.stop()
		tell('The update from 0.1.0', [figures])
		expectNoneFailed([figures])
		// These requests came before anybody could answer them.
		expect(figures.slowestMs).toBeGreaterThan(startedAfter / 2)
		expect(figures.sent).toBeGreaterThan(50)
	})

	test(`are restarted ${rounds * 3} times, into a version with more tables: no request fails, and no message is lost`, {
		timeout: 1_200_000,
	}, async () => {
		if (!isLongRun) {
			await site.start()
			const ask: MembersSite['ask'] = (path, cookie, form) => requestPage(site.url, path, cookie, form)
			cookies = await run.meet({ ask }, 3, () => site.url)
		}
		writeFileSync(join(project, 'migrations', '9999_next_version.sql'), nextMigration)
		run.begin(Number.POSITIVE_INFINITY)
		const startMs = isLongRun ? undefined : calmMs
		const figures = await stopInTurn(rounds, site.url, site.pids, site.nodes, { clients, cookies }, startMs)
		// The restarts may be over before anybody has edited or deleted a message.
		await expect.poll(() => run.hasChanges).toBe(true)
		run.end()
		tell(`${rounds * 3} restarts`, figures)
		expectNoneFailed(figures)
		expect(figures.every(({ sent }) => sent > 50)).toBe(true)
		await run.judge(10)
		const { rows } = await pool().query("select 1 from migrations where name = '9999_next_version.sql'")
		expect(rows).toHaveLength(1)
	})

	test('the previous version refuses to start on the newer tables, in one sentence', async () => {
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

function expectNoneFailed(figures: LoadFigures[]): void {
	expect(figures.map((one) => ({ ...one, failures: countFailed(one) }))).toEqual(
		figures.map(() => expect.objectContaining({ failures: 0, failed: {}, refused: 0 })),
	)
}

/** The report of `npm run test:restarts`. */
function tell(what: string, figures: LoadFigures[]): void {
	if (!isLongRun) return
	const sent = figures.reduce((sum, one) => sum + one.sent, 0)
	const failed = figures.reduce((sum, one) => sum + countFailed(one) + one.refused, 0)
	const slowest = Math.max(...figures.map(({ slowestMs }) => slowestMs))
	process.stdout.write(`${what}: ${sent} requests, ${failed} failed, the slowest answer took ${slowest} ms.\n`)
}
