import { expect, test, vi } from 'vitest'
import { useDatabase } from '../../../tests/support/database.ts'
import { connectionsOfPools, pool } from './db.server.ts'
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

function idleConnections(): Record<string, number> {
	const idle = connectionsOfPools().filter(([{ state }]) => state === 'idle')
	return Object.fromEntries(idle.map(([{ pool: name }, count]) => [name, count]))
}
