import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { closeDatabase, db, openDatabase, pool } from '~/platform/db/db.server.ts'
import { migrate } from '~/platform/db/migrate.server.ts'
import { addJob } from '~/platform/jobs/jobs.server.ts'
import { ChatRun } from '../support/chat-run.ts'
import { eventually } from '../support/eventually.ts'
import { startOnTestDatabase } from '../support/members-site.ts'
import { NetworkProxy } from '../support/network-proxy.ts'
import { type OwnPostgres, startOwnPostgres } from '../support/own-postgres.ts'
import { closeTabs } from '../support/tabs.ts'
import { CountingClient } from './counting-client.ts'

/* The network between the site and its PostgreSQL fails in the ways that networks do, while members write. */

const WRITERS = 8
/** Actions of a chat member between two faults. */
const MAX_ACTS = 6

let postgres: OwnPostgres

beforeAll(async () => {
	postgres = await startOwnPostgres()
	openDatabase({ connectionString: postgres.url })
	await migrate(pool(), fileURLToPath(new URL('../../migrations', import.meta.url)))
})

afterAll(async () => {
	await closeDatabase()
	await postgres.stop()
})

/** Breaks the network. @returns mends it */
type Fault = (proxy: NetworkProxy) => () => Promise<void> | void

const cut: Fault = (proxy) => {
	proxy.cut()
	return () => proxy.open()
}
const held =
	(direction: 'there' | 'back' | 'both'): Fault =>
	(proxy) => {
		proxy.hold(direction)
		return () => proxy.release()
	}
const forgotten: Fault = (proxy) => {
	proxy.hold('both')
	return () => proxy.forget()
}
const slow: Fault = (proxy) => {
	proxy.slowDown(300)
	return () => proxy.slowDown(0)
}

const faults: [what: string, seconds: number, fault: Fault][] = [
	['cut', 4, cut],
	['silent', 4, held('both')],
	['without answers', 4, held('back')],
	['slow', 15, slow],
	['its connections forgotten', 1, forgotten],
	['without requests', 12, held('there')],
	['silent', 25, held('both')],
	['cut', 15, cut],
]

test.each([1, 4])('%i process(es): nothing is lost or doubled, and jobs run again', async (processes) => {
	const { pathname, searchParams, username, password } = new URL(postgres.url)
	const proxy = new NetworkProxy({ path: `${searchParams.get('host')}/.s.PGSQL.5432` })
	await proxy.open()
	onTestFinished(() => proxy.stop())
	const DATABASE_URL = `postgresql://${username}:${password}@127.0.0.1:${proxy.port}${pathname}`
	const site = await startOnTestDatabase(undefined, { DATABASE_URL, WEB_CONCURRENCY: String(processes) })
	onTestFinished(() => site.stop())
	onTestFinished(closeTabs)
	const run = new ChatRun()
	await run.meet(site, 3, () => site.url, String(processes))
	const client = new CountingClient(() => site.url)
	await client.start(WRITERS)
	run.begin(MAX_ACTS)
	for (const [what, seconds, fault] of faults) {
		const mend = fault(proxy)
		await sleep(seconds * 1_000)
		await mend()
		const began = performance.now()
		await addJob('account-mail', { kind: 'none', email: '' })
		await eventually(async () => {
			const { rows } = await sql`select from graphile_worker.jobs where task_identifier = 'account-mail'`.execute(db())
			expect(rows).toEqual([])
			expect((await site.ask('/readyz', '')).status).toBe(200)
		})
		const ms = Math.round(performance.now() - began)
		process.stdout.write(`${what} for ${seconds} s: at work after ${ms} ms, ${client.acknowledgedCount} acknowledged\n`)
		run.allowActs(MAX_ACTS)
		await sleep(3_000)
	}
	run.end()
	const count = await client.stop()
	process.stdout.write(`network: ${JSON.stringify(count)}\n`)
	expect([count.lost, count.doubled]).toEqual([[], []])
	expect(count.failed).toBeGreaterThan(0)
	await run.judge(50)
})
