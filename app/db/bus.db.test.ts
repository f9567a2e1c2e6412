import { expect, test, vi } from 'vitest'
import { useDatabase } from '../../tests/support/database.ts'
import { openBus, publish } from './bus.server.ts'
import { pool } from './db.server.ts'

useDatabase()

const elsewhere = (channel: string, text: string) =>
	pool().query('select pg_notify($1, $2)', [channel, `another-process ${text}`])

function listener() {
	return { onMessage: vi.fn(), onLost: vi.fn(), onBack: vi.fn() }
}

test('what another process says arrives, and what this one says does not come back', async () => {
	const hears = listener()
	const stop = await openBus('things', hears)
	await publish('things', 'our own')
	await elsewhere('things', 'one two')
	await vi.waitFor(() => expect(hears.onMessage.mock.calls).toEqual([['one two']]))
	await stop()
	expect(hears.onLost).not.toHaveBeenCalled()
})

test('a lost connection is told of, and made again', async () => {
	const hears = listener()
	const stop = await openBus('things', hears)
	await pool().query(`select pg_terminate_backend(pid) from pg_stat_activity
		where query like 'listen "things"%' and pid <> pg_backend_pid() and datname = current_database()`)
	await vi.waitFor(() => expect(hears.onBack).toHaveBeenCalled(), 10_000)
	expect(hears.onLost).toHaveBeenCalledOnce()
	await elsewhere('things', 'after')
	await vi.waitFor(() => expect(hears.onMessage).toHaveBeenCalledWith('after'))
	await stop()
})

test('a message that PostgreSQL would refuse is refused in words', async () => {
	await expect(publish('things', 'x'.repeat(8_000))).rejects.toThrow('too long')
})
