import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseCrontab, type WorkerEvents } from 'graphile-worker'
import { sql } from 'kysely'
import { afterEach, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { config } from '~/config.server.ts'
import { db } from '~/platform/db/db.server.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { eventually } from '../../../tests/support/eventually.ts'
import { forgetFutureRuns } from './jobs.queries.server.ts'
import { addJob, crontabOf, type Schedule, startJobs, stopJobs } from './jobs.server.ts'

vi.mock('./lost-jobs.server.ts', async (load) => {
	const { watchJobLocks } = await load<typeof import('./lost-jobs.server.ts')>()
	return { watchJobLocks: (events: WorkerEvents) => watchJobLocks(events, 100) }
})

vi.mock('./clock.server.ts', async (load) => {
	const { onClockSetBack } = await load<typeof import('./clock.server.ts')>()
	return { onClockSetBack: (act: () => void) => onClockSetBack(act, 50) }
})

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

test('a started worker runs pending jobs, and none after it was stopped', async () => {
	await addJob('send-mail', mail)
	await startJobs()
	await eventually(async () => expect(await waiting()).toBe(0))
	expect(readdirSync(join(config().dataDir, 'mail'))).toHaveLength(2)
	await stopJobs()
	await addJob('send-mail', mail)
	expect(await waiting()).toBe(1)
})

test('mails that hang do not hold up other jobs', async () => {
	await sql`delete from graphile_worker._private_jobs`.execute(db())
	const hang = Promise.withResolvers<void>()
	let mails = 0
	let runs = 0
	const sendMail = () => {
		mails += 1
		return hang.promise
	}
	const run = async () => {
		runs += 1
	}
	await startJobs({ jobs: { 'send-mail': sendMail }, schedules: [{ name: 'beside-mails', every: 'night', run }] })
	try {
		for (let number = 0; number < 5; number += 1) await addJob('send-mail', mail)
		await eventually(() => expect(mails).toBe(3))
		await sql`select graphile_worker.add_job('beside-mails')`.execute(db())
		await eventually(() => expect(runs).toBe(1))
	} finally {
		hang.resolve()
	}
	await eventually(async () => expect([await waiting(), mails]).toEqual([0, 5]))
})

test('schedules become crontab entries for every night, hour and minute', async () => {
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

test('a nightly job that was missed while the site was down runs once, at its start', async () => {
	const runs: string[] = []
	const schedules = ['was-down', 'was-up', 'is-new'].map((name) => ({
		...{ name, every: 'night' as const },
		run: async () => void runs.push(name),
	}))
	await sql`
		insert into graphile_worker._private_known_crontabs (identifier, known_since, last_execution) values
			('was-down', now() - interval '9 days', now() - interval '3 days'), ('was-up', now() - interval '9 days', now())`.execute(
		db(),
	)
	const queued = async () => {
		const names = schedules.map(({ name }) => name)
		const { rows } = await sql`select from graphile_worker.jobs where task_identifier = any(${names})`.execute(db())
		return rows.length
	}
	await startJobs({ schedules })
	await eventually(async () => expect([runs, await queued()]).toEqual([['was-down'], 0]))
	await stopJobs()
	await startJobs({ schedules })
	expect([runs, await queued()]).toEqual([['was-down'], 0])
})

test('schedules run after the clock was set back', async () => {
	await sql`
		insert into graphile_worker._private_known_crontabs (identifier, known_since, last_execution)
		values ('ahead', now(), now() + interval '1 year'), ('right', now(), now())`.execute(db())
	await startJobs()
	const { rows } = await sql`
		select identifier, last_execution is null as "isForgotten" from graphile_worker._private_known_crontabs
		where identifier in ('ahead', 'right') order by 1`.execute(db())
	expect(rows).toEqual([
		{ identifier: 'ahead', isForgotten: true },
		{ identifier: 'right', isForgotten: false },
	])
})

test('schedules run also when the clock is set back while the site runs', async () => {
	const MINUTE_MS = 60_000
	const began = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS
	vi.useFakeTimers({ toFake: ['Date'], shouldAdvanceTime: true })
	onTestFinished(() => void vi.useRealTimers())
	vi.setSystemTime(began + 24 * 60 * MINUTE_MS)
	let runs = 0
	const run = async () => {
		runs += 1
	}
	// A backup may take an hour.
	const long = { begun: false, ...Promise.withResolvers<void>() }
	const runLong = () => {
		long.begun = true
		return long.promise
	}
	await sql`select graphile_worker.add_job('takes-long')`.execute(db())
	const schedules: Schedule[] = [
		{ name: 'after-the-step', every: 'minute', run },
		{ name: 'takes-long', every: 'night', run: runLong },
	]
	await startJobs({ schedules })
	await eventually(() => expect(long.begun).toBe(true))
	vi.setSystemTime(began - 5_000)
	await eventually(() => expect(runs).toBe(1), 20_000).finally(long.resolve)
})

test('of the runs of a schedule that were due while the machine slept, one waits, also if it was planned for the future', async () => {
	await sql`delete from graphile_worker._private_jobs`.execute(db())
	const schedules = (['night', 'hour', 'minute'] as const).map((every) => ({
		name: `slept-${every}`,
		every,
		run: async () => {},
	}))
	for (const { task, options } of parseCrontab(crontabOf(schedules)))
		for (const seconds of [86_400, -7_200, -3_600, 60])
			await sql`
				select graphile_worker.add_job(${task}, job_key => ${options.jobKey}, job_key_mode => ${options.jobKeyMode},
					run_at => now() + make_interval(secs => ${seconds}))`.execute(db())
	await sql`
		insert into graphile_worker._private_known_crontabs (identifier, known_since)
		select unnest(${schedules.map(({ name }) => name)}::text[]), now()`.execute(db())
	await forgetFutureRuns()
	const { rows } = await sql`
		select count(*)::int as count, max(run_at) < now() + interval '2 minutes' as "isSoon" from graphile_worker.jobs`.execute(
		db(),
	)
	expect(rows).toEqual([{ count: 3, isSoon: true }])
})

test('a run that failed stays listed while the next one waits', async () => {
	await sql`delete from graphile_worker._private_jobs`.execute(db())
	const schedule = {
		name: 'fails-now',
		every: 'minute',
		triesOnce: true,
		run: () => Promise.reject(new Error('no')),
	} as const
	await startJobs({ schedules: [schedule] })
	const [planned] = parseCrontab(crontabOf([schedule]))
	const plan = (seconds: number) =>
		sql`
			select graphile_worker.add_job('fails-now', job_key => ${planned?.options.jobKey}, max_attempts => 1,
				run_at => now() + make_interval(secs => ${seconds}))`.execute(db())
	const states = async () =>
		(
			await sql`select key is not null as "hasKey", attempts from graphile_worker._private_jobs order by id`.execute(
				db(),
			)
		).rows
	await plan(0)
	await eventually(async () => expect(await states()).toEqual([{ hasKey: true, attempts: 1 }]))
	await plan(3_600)
	expect(await states()).toEqual([
		{ hasKey: false, attempts: 1 },
		{ hasKey: true, attempts: 0 },
	])
})

test('a schedule that tries once is not retried, and its next failed run replaces the last one', async () => {
	await sql`delete from graphile_worker._private_jobs`.execute(db())
	let tries = 0
	const run = async () => {
		tries += 1
		throw new Error('The disk is not there.')
	}
	const schedules = [{ name: 'left-to-the-next', every: 'hour', triesOnce: true, run } as const]
	await startJobs({ schedules })
	const maxTries = parseCrontab(crontabOf(schedules))[0]?.options.maxAttempts ?? null
	for (const expected of [1, 2]) {
		await sql`select graphile_worker.add_job('left-to-the-next', max_attempts => ${maxTries})`.execute(db())
		await eventually(() => expect(tries).toBe(expected))
		await eventually(async () => {
			const { rows } = await sql`
				select attempts, max_attempts, last_error from graphile_worker._private_jobs where locked_at is null`.execute(
				db(),
			)
			expect(rows).toEqual([{ attempts: 1, max_attempts: 1, last_error: 'The disk is not there.' }])
		})
	}
})

test.each([
	['night', 86_400],
	['hour', 3_600],
	['minute', 60],
] as const)('a run that is due every %s is retried only until the next one', (every, seconds) => {
	const [planned] = parseCrontab(crontabOf([{ name: 'fails', every, run: async () => {} }]))
	const attempts = planned?.options.maxAttempts ?? Number.POSITIVE_INFINITY
	expect(attempts).toBeGreaterThan(1)
	let waited = 0
	for (let attempt = 1; attempt < Math.min(attempts, 25); attempt += 1) waited += Math.exp(Math.min(attempt, 10))
	expect(waited).toBeLessThan(seconds)
})

test('a successful run removes those that failed', async () => {
	await sql`delete from graphile_worker._private_jobs`.execute(db())
	let fails = true
	const run = async () => {
		if (fails) throw new Error('not yet')
	}
	await startJobs({ schedules: [{ name: 'fails-at-first', every: 'minute', run }] })
	await sql`select graphile_worker.add_job('fails-at-first', max_attempts => 1)`.execute(db())
	const states = async () =>
		(await sql`select last_error from graphile_worker._private_jobs where locked_at is null`.execute(db())).rows
	await eventually(async () => expect(await states()).toEqual([{ last_error: 'not yet' }]))
	fails = false
	await sql`select graphile_worker.add_job('fails-at-first', max_attempts => 1)`.execute(db())
	await eventually(async () => expect(await waiting()).toBe(0))
})

test.each([
	['done', '53100', async () => {}],
	['failed', '57P01', () => Promise.reject(new Error('no'))],
])(
	'the outcome of a job that was %s is saved by a retry when PostgreSQL first fails with %s',
	async (end, code, run) => {
		await sql`delete from graphile_worker._private_jobs`.execute(db())
		await sql`create sequence ${sql.id(`failures_${end}`)}`.execute(db())
		await sql`
		create or replace function fail_once() returns trigger language plpgsql as $$ begin
			if nextval(${sql.lit(`failures_${end}`)}) = 1 then
				raise exception 'not now' using errcode = ${sql.lit(code)};
			end if;
			return coalesce(new, old);
		end $$`.execute(db())
		await sql`
		create trigger fail_once before delete or update of last_error on graphile_worker._private_jobs
		for each row execute function fail_once()`.execute(db())
		try {
			await startJobs({ schedules: [{ name: `is-${end}`, every: 'night', run }] })
			await sql`select graphile_worker.add_job(${`is-${end}`}, max_attempts => 1)`.execute(db())
			await eventually(async () => {
				const { rows } = await sql`
				select last_error from graphile_worker._private_jobs where locked_at is not null or last_error is null`.execute(
					db(),
				)
				expect(rows).toEqual([])
			})
		} finally {
			await sql`drop trigger fail_once on graphile_worker._private_jobs`.execute(db())
		}
	},
)

test('after a long outage jobs go on within seconds', async () => {
	await sql`delete from graphile_worker._private_jobs`.execute(db())
	await sql`create sequence refusals`.execute(db())
	await sql`
		create function refuse_at_first() returns trigger language plpgsql as $$ begin
			if new.locked_by is not null and nextval('refusals') <= 8 then
				raise exception 'not now' using errcode = '57P01';
			end if;
			return new;
		end $$`.execute(db())
	await sql`
		create trigger refuse_at_first before update on graphile_worker._private_jobs
		for each row execute function refuse_at_first()`.execute(db())
	try {
		await startJobs({ schedules: [{ name: 'goes-on', every: 'night', run: async () => {} }] })
		const began = performance.now()
		await sql`select graphile_worker.add_job('goes-on')`.execute(db())
		await eventually(async () => expect(await waiting()).toBe(0))
		expect(performance.now() - began).toBeLessThan(12_000)
	} finally {
		await sql`drop trigger refuse_at_first on graphile_worker._private_jobs`.execute(db())
	}
})

test('a job of a killed process is retried after a minute; one of a live process is not', async () => {
	await sql`delete from graphile_worker._private_jobs`.execute(db())
	const finish = Promise.withResolvers<void>()
	let tries = 0
	const run = () => {
		tries += 1
		return finish.promise
	}
	/** Ages all locks. @returns their holders after a few renewals */
	const pass = async (time: string) => {
		await sql`update graphile_worker._private_jobs set locked_at = locked_at - ${time}::interval`.execute(db())
		await sleep(500)
		const { rows } = await sql<{ locked_by: string }>`
			select locked_by from graphile_worker._private_jobs where locked_at is not null order by id`.execute(db())
		return rows.map(({ locked_by }) => locked_by)
	}
	try {
		await startJobs({ schedules: [{ name: 'takes-long', every: 'night', run }] })
		await sql`select graphile_worker.add_job('takes-long')`.execute(db())
		await eventually(() => expect(tries).toBe(1))
		await sql`select graphile_worker.add_job('send-mail', run_at => now() + interval '1 hour')`.execute(db())
		await sql`update graphile_worker._private_jobs set locked_at = now(), locked_by = 'another', attempts = 1
			where locked_by is null`.execute(db())
		expect(await pass('40 seconds')).toEqual([expect.any(String), 'another'])
		expect(await pass('40 seconds')).toEqual([expect.any(String)])
	} finally {
		finish.resolve()
	}
	await eventually(async () => expect(await waiting()).toBe(1))
	expect(tries).toBe(1)
	const { rows } = await sql`select last_error, run_at > now() as later from graphile_worker._private_jobs`.execute(
		db(),
	)
	expect(rows).toEqual([{ last_error: 'The process that ran it ended.', later: true }])
})
