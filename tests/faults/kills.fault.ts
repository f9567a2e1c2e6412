import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, onTestFinished, test } from 'vitest'
import { closeDatabase, openDatabase, pool } from '~/platform/db/db.server.ts'
import { migrate } from '~/platform/db/migrate.server.ts'
import { freePort } from '../../scripts/support/free-ports.ts'
import { type MembersSite, startOnTestDatabase } from '../support/members-site.ts'
import { type OwnPostgres, startOwnPostgres } from '../support/own-postgres.ts'
import { CountingClient, judge } from './counting-client.ts'

/* Node and PostgreSQL are killed with SIGKILL while members write. Acknowledged writes must be stored exactly once. */

const ROUNDS = 20
const WRITERS = 24

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

test(`Node is killed ${ROUNDS} times`, async () => {
	const port = String(await freePort())
	let site: MembersSite = await startOnTestDatabase(port, { DATABASE_URL: postgres.url })
	onTestFinished(() => site.stop())
	const client = new CountingClient(() => site.url)
	await client.start(WRITERS)
	for (let round = 0; round < ROUNDS; round += 1) {
		await sleep(500 + Math.random() * 2_000)
		await site.kill()
		site = await startOnTestDatabase(port, { DATABASE_URL: postgres.url })
	}
	await sleep(2_000)
	judge(await client.stop(), WRITERS, 'Node killed')
})

test(`PostgreSQL is killed ${ROUNDS} times, with all its processes`, async () => {
	const site = await startOnTestDatabase(undefined, { DATABASE_URL: postgres.url })
	onTestFinished(() => site.stop())
	const client = new CountingClient(() => site.url)
	await client.start(WRITERS)
	for (let round = 0; round < ROUNDS; round += 1) {
		await sleep(500 + Math.random() * 2_000)
		await postgres.kill()
		await sleep(Math.random() * 2_000)
		await postgres.start()
	}
	await sleep(2_000)
	judge(await client.stop(), WRITERS, 'PostgreSQL killed')
})
