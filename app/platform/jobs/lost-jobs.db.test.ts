import { EventEmitter } from 'node:events'
import type { Job, WorkerEvents } from 'graphile-worker'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { db } from '~/platform/db/db.server.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { eventually } from '../../../tests/support/eventually.ts'
import { useJobTables } from '../../../tests/support/jobs.ts'
import { watchJobLocks } from './lost-jobs.server.ts'

/* graphile-worker has given up storing how these jobs ended, as the database was away for too long. */

useDatabase()
useJobTables()

const events: WorkerEvents = new EventEmitter()
let stop: () => void
let ids: string[]

beforeEach(async () => {
	stop = watchJobLocks(events, 50)
	for (const id of ['pool-a', 'pool-b']) events.emit('pool:create', { workerPool: { id } } as never)
	await sql`delete from graphile_worker._private_jobs`.execute(db())
	await sql`select graphile_worker.add_job('send-mail', json_build_object('number', number)) from generate_series(1, 3) number`.execute(
		db(),
	)
	const { rows } = await sql<{ id: string }>`
		update graphile_worker._private_jobs set locked_by = 'pool-b', attempts = 1, locked_at = now() - interval '59 seconds'
		returning id`.execute(db())
	ids = rows.map(({ id }) => id)
	for (const id of ids) emit('job:start', id)
})

afterEach(() => {
	stop()
	events.removeAllListeners()
})

function emit(name: 'job:start' | 'job:success' | 'job:error', id = ''): void {
	events.emit(name, { job: { id } as Job } as never)
}

async function states() {
	const { rows } = await sql<{ id: string; isLocked: boolean; last_error: string | null }>`
		select id, locked_at > now() - interval '30 seconds' as "isLocked", last_error
		from graphile_worker._private_jobs order by id`.execute(db())
	return Object.fromEntries(rows.map(({ id, isLocked, last_error }) => [id, isLocked ? 'locked' : last_error]))
}

test('a job that was done is removed, and the locks of others are renewed', async () => {
	const [done = '', runs = '', failed = ''] = ids
	emit('job:success', done)
	emit('job:error', failed)
	await eventually(async () => expect(await states()).toEqual({ [runs]: 'locked', [failed]: 'locked' }))
})

test('a job that failed long ago is retried, and one that is still running is not', async () => {
	const [runs = '', failed = '', again = ''] = ids
	emit('job:error', failed)
	emit('job:error', again)
	emit('job:start', again)
	const now = performance.now.bind(performance)
	const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + 3_600_000)
	onTestFinished(() => clock.mockRestore())
	await eventually(async () => expect((await states())[runs]).toBe('locked'))
	await sql`update graphile_worker._private_jobs set locked_at = now() - interval '61 seconds' where id = ${failed}`.execute(
		db(),
	)
	await eventually(async () =>
		expect(await states()).toEqual({
			...{ [runs]: 'locked', [again]: 'locked', [failed]: 'The process that ran it ended.' },
		}),
	)
})
