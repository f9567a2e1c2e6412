import { expect, test, vi } from 'vitest'
import { useDatabase } from '../../../tests/support/database.ts'
import { closeDatabase, connectionsOfPools, db, isDatabaseUnavailable, pool } from './db.server.ts'
import { longWork } from './scope.server.ts'
import { LONG_IDLE_TIMEOUT_MS } from './time-limits.server.ts'

useDatabase()

test('an unused connection for long work ends after a while, and one for requests stays', async () => {
	vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
	try {
		await pool().query('select 1')
		await longWork(() => pool().query('select 1'))
		expect(idleConnections()).toEqual({ requests: 1, jobs: 1 })
		vi.advanceTimersByTime(LONG_IDLE_TIMEOUT_MS - 1)
		expect(idleConnections()).toEqual({ requests: 1, jobs: 1 })
		vi.advanceTimersByTime(1)
		expect(idleConnections()).toEqual({ requests: 1, jobs: 0 })
		expect((await longWork(() => pool().query('select 2 as two'))).rows).toEqual([{ two: 2 }])
	} finally {
		vi.useRealTimers()
	}
})

test('closing the database ends connections that Kysely has not used: they keep a script alive that has done its work', async () => {
	const pools = [pool(), await longWork(async () => pool())]
	for (const each of pools) await each.query('select 1')
	await closeDatabase()
	expect(pools.map(({ totalCount }) => totalCount)).toEqual([0, 0])
})

test('a job that still runs once the database is closed fails as in an outage, which is not reported', async () => {
	await closeDatabase()
	expect(() => db()).toThrow('The database is closed.')
	expect(isDatabaseUnavailable()).toBe(true)
})

function idleConnections(): Record<string, number> {
	const idle = connectionsOfPools().filter(([{ state }]) => state === 'idle')
	return Object.fromEntries(idle.map(([{ pool: name }, count]) => [name, count]))
}
