import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { config } from '~/config.server.ts'
import { db } from '~/platform/db/db.server.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { eventually } from '../../../tests/support/eventually.ts'
import { addJob, startJobs, stopJobs } from './jobs.server.ts'

useDatabase()

beforeAll(async () => {
	await startJobs()
	await stopJobs()
})

afterEach(stopJobs)

const mail = { to: 'mira@eastmere.example', subject: 'Hello', text: 'Hello', html: '<p>Hello</p>' }

async function waiting(): Promise<number> {
	const { rows } = await sql<{ count: string }>`select count(*) from graphile_worker._private_jobs`.execute(db())
	return Number(rows[0]?.count)
}

test('a job exists when its transaction commits, and not when it fails', async () => {
	const failing = db()
		.transaction()
		.execute(async (trx) => {
			await addJob('send-mail', mail, trx)
			throw new Error('changed my mind')
		})
	await expect(failing).rejects.toThrow('changed my mind')
	expect(await waiting()).toBe(0)
	await db()
		.transaction()
		.execute((trx) => addJob('send-mail', mail, trx))
	expect(await waiting()).toBe(1)
})

test('a started worker does what waits, and nothing after it was stopped', async () => {
	await addJob('send-mail', mail)
	await startJobs()
	await eventually(async () => expect(await waiting()).toBe(0))
	expect(readdirSync(join(config().dataDir, 'mail'))).toHaveLength(2)
	await stopJobs()
	await addJob('send-mail', mail)
	expect(await waiting()).toBe(1)
})

test('regular work is planned for every night, hour and minute', async () => {
	const run = async () => {}
	const schedules = (['night', 'hour', 'minute'] as const).map((every) => ({ name: `each-${every}`, every, run }))
	await startJobs({ schedules })
	const planned = sql<{ identifier: string }>`
		select identifier from graphile_worker._private_known_crontabs where identifier like 'each-%' order by 1`
	await eventually(async () => {
		const { rows } = await planned.execute(db())
		expect(rows.map(({ identifier }) => identifier)).toEqual(['each-hour', 'each-minute', 'each-night'])
	})
})
