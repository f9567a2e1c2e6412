import { Logger, type Runner, run, type TaskList } from 'graphile-worker'
import { sql } from 'kysely'
import { log } from '~/lib/log.server.ts'
import { remember } from '~/lib/remember.ts'
import { db, type Executor, isDatabaseAway, pool } from '~/platform/db/db.server.ts'
import { longWork } from '~/platform/db/scope.server.ts'
import { closeMail, type Mail, sendMail, sweepMails } from '~/platform/mail/mail.server.ts'
import type { RetentionRule } from '~/platform/member-data.ts'
import { counter } from '~/platform/metrics/metrics.server.ts'
import { traced } from '~/platform/tracing/tracing.server.ts'

/**
 * Every kind of job, and what one of it has to know. Features add theirs by declaration merging, beside the function that does it:
 * `declare module '~/platform/jobs/jobs.server.ts' { interface Jobs { … } }`.
 */
export interface Jobs {
	'send-mail': Mail
}

/** Who does each kind of job. One that fails is tried again. */
export type JobHandlers = { [Name in keyof Jobs]: (payload: Jobs[Name]) => Promise<unknown> }

/** Work that is done at regular times, by one process of the site. */
export interface Schedule {
	name: string
	/** `night` is three o'clock UTC. */
	every: 'night' | 'hour' | 'minute'
	run: () => Promise<unknown>
}

/** Tries of a job that are fewer than the usual 25: a mail that could not be sent for a day is of no use to anybody. */
const MAX_TRIES: Partial<Record<keyof Jobs, number>> = { 'send-mail': 12 }

/** Days for which a mail may be stored as a file at most. */
const MAX_MAIL_DAYS = 365

const ownJobs: TaskList = {
	'send-mail': (payload) => traced('job send-mail', {}, async () => void (await sendMail(payload as Mail))),
}

/** What the platform stores of members for a time. */
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

/** Milliseconds that a job under way may go on when the process stops; what is cut off is tried again later. */
const stopWithin = 2_500

const countTry = counter('devquad_job_tries_total', 'Tries of jobs that ended, by the job and how: done, or failed.', [
	'task',
	'outcome',
])

const held = remember<{ runner?: Runner }>('jobs', () => ({}))

interface Work {
	jobs?: Partial<JobHandlers>
	schedules?: readonly Schedule[]
}

/** Starts working on jobs in this process, on the open pool. Mails are sent without being listed. */
export async function startJobs({ jobs = {}, schedules = [] }: Work = {}): Promise<void> {
	const regular = [...ownSchedules, ...schedules]
	const handlers = Object.entries(jobs) as [string, (payload: unknown) => Promise<unknown>][]
	if (held.runner) return
	held.runner = await run({
		pgPool: await longWork(async () => pool()),
		taskList: {
			...ownJobs,
			...Object.fromEntries(handlers.map(([name, work]) => [name, longTask(name, work)])),
			...Object.fromEntries(regular.map(({ name, run: work }) => [name, longTask(name, work)])),
		},
		crontab: crontabOf(regular),
		concurrency: 2,
		noHandleSignals: true,
		pollInterval: 2_000,
		gracefulShutdownAbortTimeout: stopWithin,
		logger: new Logger(() => (level, message) => {
			// That the database is away is in the log already.
			if ((level === 'error' || level === 'warning') && !isDatabaseAway()) log.warn({ worker: level }, message)
		}),
	})
	const { events } = held.runner
	events.on('job:success', ({ job }) => countTry({ task: job.task_identifier, outcome: 'done' }))
	events.on('job:error', ({ job }) => countTry({ task: job.task_identifier, outcome: 'failed' }))
}

/** Jobs of the whole site, as labels and how many: to be done now, to be done later, being done, or given up after too many tries. */
export async function countJobs(): Promise<[{ state: string }, number][]> {
	const { rows } = await sql<Record<'ready' | 'later' | 'running' | 'failed', number>>`
		select count(*) filter (where locked_at is not null)::int as running,
			count(*) filter (where attempts >= max_attempts and locked_at is null)::int as failed,
			count(*) filter (where attempts < max_attempts and locked_at is null and run_at <= now())::int as ready,
			count(*) filter (where attempts < max_attempts and locked_at is null and run_at > now())::int as later
		from graphile_worker.jobs`.execute(db())
	return Object.entries(rows[0] ?? {}).map(([state, count]) => [{ state }, count])
}

/** Hourly work is spread over the hour, so that no minute has all of it. */
function crontabOf(schedules: readonly Schedule[]): string {
	const nightly = schedules.filter(({ every }) => every === 'night')
	const hourly = schedules.filter(({ every }) => every === 'hour')
	const minutely = schedules.filter(({ every }) => every === 'minute')
	return [
		...nightly.map(({ name }, index) => `${(index * 7) % 60} 3 * * * ${name}`),
		...hourly.map(({ name }, index) => `${(index * 7) % 60} * * * * ${name}`),
		...minutely.map(({ name }) => `* * * * * ${name}`),
	].join('\n')
}

function longTask(name: string, work: (payload: unknown) => Promise<unknown>): (payload: unknown) => Promise<void> {
	return (payload) => longWork(() => traced(`job ${name}`, {}, async () => void (await work(payload))))
}

/** Finishes what is under way and stops. */
export async function stopJobs(): Promise<void> {
	await held.runner?.stop()
	held.runner = undefined
	closeMail()
}

/**
 * Adds a job. Given a use case's transaction, the job exists when that commits, and not otherwise.
 * A job that fails is tried again up to 25 times, a mail up to 12 times within a day, ever later (graphile-worker's exponential back-off).
 * @param delay seconds until it is to be done
 */
export async function addJob<Name extends keyof Jobs>(
	name: Name,
	payload: Jobs[Name],
	executor: Executor = db(),
	delay = 0,
): Promise<void> {
	const runAt = delay === 0 ? sql`` : sql`, run_at => now() + make_interval(secs => ${delay})`
	const tries = MAX_TRIES[name] ? sql`, max_attempts => ${MAX_TRIES[name]}` : sql``
	await sql`select graphile_worker.add_job(${name}, payload => ${JSON.stringify(payload)}::json ${runAt} ${tries})`.execute(
		executor,
	)
}
