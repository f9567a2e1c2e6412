import { EventEmitter } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import {
	Logger,
	type Runner,
	run,
	runTaskList,
	type TaskList,
	type WorkerEvents,
	type WorkerPool,
} from 'graphile-worker'
import { sql } from 'kysely'
import { log } from '~/lib/log.server.ts'
import { remember } from '~/lib/remember.ts'
import { db, type Executor, isDatabaseUnavailable, pool } from '~/platform/db/db.server.ts'
import { longWork } from '~/platform/db/scope.server.ts'
import { closeMail, MAX_MAIL_CONNECTIONS, type Mail, sendMail, sweepMails } from '~/platform/mail/mail.server.ts'
import type { RetentionRule } from '~/platform/member-data.ts'
import { counter } from '~/platform/metrics/metrics.server.ts'
import { inSpan } from '~/platform/tracing/tracing.server.ts'
import { onClockSetBack } from './clock.server.ts'
import { forgetFailedRuns, forgetFutureRuns } from './jobs.queries.server.ts'
import { watchJobLocks } from './lost-jobs.server.ts'

/**
 * Payloads of all jobs by name. Features add theirs by declaration merging, beside the handler: `declare module
 * '~/platform/jobs/jobs.server.ts' { interface Jobs { … } }`.
 */
export interface Jobs {
	'send-mail': Mail
}

/** Handlers by job name. A job whose handler rejects is retried. */
export type JobHandlers = { [Name in keyof Jobs]: (payload: Jobs[Name]) => Promise<unknown> }

/** Work at regular times, done by one process of the site. */
export interface Schedule {
	name: string
	/** `night` is 03:00 UTC, or the next start where the site was down then. */
	every: 'night' | 'hour' | 'minute'
	run: () => Promise<unknown>
	/** Whether a failed run is left to the next one. Otherwise it is retried until then. */
	triesOnce?: boolean
}

/** Attempts of a run before the next one is due: graphile-worker waits e seconds, and e times as long after each. */
const MAX_RUN_ATTEMPTS = { night: 12, hour: 8, minute: 4 } as const

/** Jobs with fewer attempts than the default of 25: a mail that is a day late is useless. */
const MAX_ATTEMPTS: Partial<Record<keyof Jobs, number>> = { 'send-mail': 12 }

/** Maximum days for which mails may be stored as files. */
const MAX_MAIL_DAYS = 365

const ownJobs: TaskList = {
	'send-mail': (payload) => inSpan('job send-mail', {}, async () => void (await sendMail(payload as Mail))),
}

/** What the platform stores about members for a limited time. */
export const platformRetention: readonly RetentionRule[] = [
	{
		key: 'mail-files',
		label: 'Mails that the site wrote to files, as it has no mail server',
		hint: 'The newest 1,000 at most.',
		days: { default: 30, min: 1, max: MAX_MAIL_DAYS },
		remove: (days) => sweepMails(days),
	},
	{
		key: 'failed-jobs',
		label: 'Mails and other work that failed for good',
		hint: 'Counted from the last try.',
		days: { default: 30, min: 1, max: 365 },
		remove: async (days, limit) => {
			const { numAffectedRows = 0n } = await sql`
				delete from graphile_worker._private_jobs where id in (
					select id from graphile_worker._private_jobs
					where attempts >= max_attempts and locked_at is null and updated_at < now() - make_interval(days => ${days})
					limit ${limit} for update skip locked)`.execute(db())
			return Number(numAffectedRows)
		},
	},
]

const ownSchedules: Schedule[] = [{ name: 'sweep-mails', every: 'hour', run: () => sweepMails(MAX_MAIL_DAYS) }]

/** Milliseconds that running jobs get to finish when the process stops; interrupted ones are retried later. */
const STOP_TIMEOUT_MS = 2_500

/** Milliseconds between attempts to start again after the clock was set back. */
const RESTART_RETRY_MS = 1_000

const countTry = counter('devquad_job_tries_total', 'Tries of jobs that ended, by the job and how: done, or failed.', [
	'task',
	'outcome',
])

interface Held {
	runner?: Runner
	/** Until the runner is replaced. */
	restart?: Promise<void>
	/** Until the jobs of replaced runners have ended. */
	replaced?: Promise<unknown>
	stopWatchingClock?: () => void
	remote?: WorkerPool
	stopWatching?: () => void
}

const held = remember<Held>('jobs', () => ({}))

const workerOptions = {
	noHandleSignals: true,
	pollInterval: 2_000,
	gracefulShutdownAbortTimeout: STOP_TIMEOUT_MS,
	logger: new Logger(() => (level, message) => {
		// The log already says that the database is unavailable.
		if ((level === 'error' || level === 'warning') && !isDatabaseUnavailable()) log.warn({ worker: level }, message)
	}),
}

interface Work {
	jobs?: Partial<JobHandlers>
	/** Names of those jobs that wait for other servers, as that of mails does. */
	remoteJobs?: readonly string[]
	schedules?: readonly Schedule[]
}

/** Starts a job worker in this process, on the open pool. The job that sends mails is built in. */
export async function startJobs({ jobs = {}, remoteJobs = [], schedules = [] }: Work = {}): Promise<void> {
	const regular = [...ownSchedules, ...schedules]
	const handlers = Object.entries(jobs) as [string, (payload: unknown) => Promise<unknown>][]
	if (held.runner) return
	const events: WorkerEvents = new EventEmitter()
	held.stopWatching = watchJobLocks(events)
	const all: TaskList = {
		...ownJobs,
		...Object.fromEntries(handlers.map(([name, work]) => [name, longTask(name, work)])),
		...Object.fromEntries(regular.map((schedule) => [schedule.name, longTask(schedule.name, workOf(schedule))])),
	}
	const isRemote = (name: string) => name in ownJobs || remoteJobs.includes(name)
	const listOf = (remote: boolean): TaskList =>
		Object.fromEntries(Object.entries(all).filter(([name]) => isRemote(name) === remote))
	const pgPool = await longWork(async () => pool())
	const options = { ...workerOptions, pgPool, events }
	const start = () => run({ ...options, taskList: listOf(false), crontab: crontabOf(regular), concurrency: 2 })
	held.runner = await start()
	// graphile-worker would plan nothing until the clock has come to where it was.
	held.stopWatchingClock = onClockSetBack(() => {
		held.restart ??= restart(start).finally(() => {
			held.restart = undefined
		})
	})
	// Apart from other jobs, which a server that hangs must not hold up.
	held.remote = runTaskList({ ...options, concurrency: MAX_MAIL_CONNECTIONS }, listOf(true), pgPool)
	events.on('job:success', ({ job }) => countTry({ task: job.task_identifier, outcome: 'done' }))
	events.on('job:error', ({ job }) => countTry({ task: job.task_identifier, outcome: 'failed' }))
	const names = new Set(regular.map(({ name }) => name))
	events.on('job:failed', ({ job }) => {
		if (names.has(job.task_identifier))
			forgetFailedRuns(job.task_identifier, job.id).catch((error) =>
				log.warn({ err: error }, 'failed runs stay listed'),
			)
	})
	await forgetFutureRuns()
}

/** Starts another runner, beside which the jobs of the one before end: a backup may take an hour. @param start starts it */
async function restart(start: () => Promise<Runner>): Promise<void> {
	log.warn('the clock was set back, so regular work is planned anew')
	const before = held.runner
	while (held.stopWatchingClock && held.runner === before)
		try {
			await forgetFutureRuns()
			held.runner = await start()
			// It fails where the runner has ended by itself.
			held.replaced = Promise.all([held.replaced, before?.stop().catch(() => {})])
		} catch (error) {
			log.error({ err: error }, 'regular work could not be planned anew; this is tried again')
			await sleep(RESTART_RETRY_MS, undefined, { ref: false })
		}
}

/** Jobs of the whole site by state (due, scheduled, running, or failed permanently), as metric labels with counts. */
export async function countJobs(): Promise<[{ state: string }, number][]> {
	const { rows } = await sql<Record<'ready' | 'later' | 'running' | 'failed', number>>`
		select count(*) filter (where locked_at is not null)::int as running,
			count(*) filter (where attempts >= max_attempts and locked_at is null)::int as failed,
			count(*) filter (where attempts < max_attempts and locked_at is null and run_at <= now())::int as ready,
			count(*) filter (where attempts < max_attempts and locked_at is null and run_at > now())::int as later
		from graphile_worker.jobs`.execute(db())
	return Object.entries(rows[0] ?? {}).map(([state, count]) => [{ state }, count])
}

/**
 * The schedules in graphile-worker's crontab format. Hourly work is spread over the hour, so that no minute has all of it. A night that the
 * site was down is made up for at its start.
 */
export function crontabOf(schedules: readonly Schedule[]): string {
	const nightly = schedules.filter(({ every }) => every === 'night')
	const hourly = schedules.filter(({ every }) => every === 'hour')
	const minutely = schedules.filter(({ every }) => every === 'minute')
	const job = ({ name, every, triesOnce }: Schedule, options: string[] = []) => {
		const attempts = triesOnce ? 1 : MAX_RUN_ATTEMPTS[every]
		// A run that has not begun stands for the next one too: after the machine was asleep, or its clock a day behind, thousands would wait.
		const all = [...options, `jobKey=${name}`, 'jobKeyMode=preserve_run_at', `max=${attempts}`]
		return `${name} ?${all.join('&')}`
	}
	return [
		...nightly.map((schedule, index) => `${(index * 7) % 60} 3 * * * ${job(schedule, ['fill=1d'])}`),
		...hourly.map((schedule, index) => `${(index * 7) % 60} * * * * ${job(schedule)}`),
		...minutely.map((schedule) => `* * * * * ${job(schedule)}`),
	].join('\n')
}

/** A successful run replaces those that failed permanently. */
function workOf({ name, run: work }: Schedule): () => Promise<unknown> {
	return async () => {
		await work()
		await forgetFailedRuns(name)
	}
}

function longTask(name: string, work: (payload: unknown) => Promise<unknown>): (payload: unknown) => Promise<void> {
	return (payload) => longWork(() => inSpan(`job ${name}`, {}, async () => void (await work(payload))))
}

/** Finishes running jobs, and stops. */
export async function stopJobs(): Promise<void> {
	held.stopWatching?.()
	held.stopWatchingClock?.()
	held.stopWatchingClock = undefined
	await held.restart
	await Promise.all([held.runner?.stop(), held.replaced, held.remote?.gracefulShutdown()])
	held.runner = undefined
	held.remote = undefined
	closeMail()
}

/**
 * Adds a job. With the transaction of a use case, it exists once that commits, and not otherwise. A job that fails is tried up to
 * 25 times, a mail up to 12 times within a day, with exponential back-off by graphile-worker.
 * @param delay seconds until it is due
 */
export async function addJob<Name extends keyof Jobs>(
	name: Name,
	payload: Jobs[Name],
	executor: Executor = db(),
	delay = 0,
): Promise<void> {
	const runAt = delay === 0 ? sql`` : sql`, run_at => now() + make_interval(secs => ${delay})`
	const tries = MAX_ATTEMPTS[name] ? sql`, max_attempts => ${MAX_ATTEMPTS[name]}` : sql``
	await sql`select graphile_worker.add_job(${name}, payload => ${JSON.stringify(payload)}::json ${runAt} ${tries})`.execute(
		executor,
	)
}
