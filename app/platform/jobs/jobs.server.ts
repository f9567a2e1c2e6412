import { Logger, type Runner, run, type TaskList } from 'graphile-worker'
import { sql } from 'kysely'
import { log } from '~/lib/log.server.ts'
import { remember } from '~/lib/remember.ts'
import { db, type Executor, isDatabaseAway, pool } from '~/platform/db/db.server.ts'
import { longWork } from '~/platform/db/scope.server.ts'
import { type Mail, sendMail } from '~/platform/mail/mail.server.ts'

/** The work that waits in the database and what each piece needs to know. */
interface Jobs {
	'send-mail': Mail
	/** Looks who has an address that somebody typed in, and mails what they asked for. */
	'account-mail': { kind: 'register' | 'confirm' | 'reset' | 'none'; email: string; isKnownDevice?: boolean }
	/** Tells those who follow a tag or a category of a new query, after the member with this id. */
	'tell-followers': { event: { kind: 'query-added' }; after: number }
	/** Gathers the words of a member's messages, for searches with a typing error. */
	'learn-own-words': { userId: number }
}

/** Work of features that is added when it is needed. */
type Asked = {
	[Name in 'account-mail' | 'send-mail' | 'tell-followers' | 'push-notice' | 'push-message' | 'learn-own-words']: (
		payload: never,
	) => Promise<unknown>
}

const tasks: TaskList = {
	'send-mail': (payload) => sendMail(payload as Mail),
}

/** Milliseconds that a job under way may go on when the process stops; what is cut off is tried again later. */
const stopWithin = 2_500

const held = remember<{ runner?: Runner }>('jobs', () => ({}))

/**
 * Starts working on jobs in this process, on the open pool.
 * @param hourly work of features that is done every hour, by one process of the site
 * @param asked work of features that waits in the database
 * @param minutely as `hourly`, every minute
 */
export async function startJobs(
	hourly: Record<string, () => Promise<unknown>> = {},
	asked: Partial<Asked> = {},
	minutely: Record<string, () => Promise<unknown>> = {},
): Promise<void> {
	const times = [
		...Object.keys(hourly).map((name, index) => `${(index * 7) % 60} * * * * ${name}`),
		...Object.keys(minutely).map((name) => `* * * * * ${name}`),
	]
	const regular = Object.entries({ ...hourly, ...minutely }).map(
		([name, work]) => [name, () => longWork(async () => void (await work()))] as const,
	)
	const waiting: TaskList = Object.fromEntries(
		Object.entries(asked).map(([name, work]) => [
			name,
			(payload) => longWork(async () => void (await work(payload as never))),
		]),
	)
	held.runner ??= await run({
		pgPool: await longWork(async () => pool()),
		taskList: { ...tasks, ...waiting, ...Object.fromEntries(regular) },
		crontab: times.join('\n'),
		concurrency: 2,
		noHandleSignals: true,
		pollInterval: 2_000,
		gracefulShutdownAbortTimeout: stopWithin,
		logger: new Logger(() => (level, message) => {
			// That the database is away is in the log already.
			if ((level === 'error' || level === 'warning') && !isDatabaseAway()) log.warn({ worker: level }, message)
		}),
	})
}

/** Finishes what is under way and stops. */
export async function stopJobs(): Promise<void> {
	await held.runner?.stop()
	held.runner = undefined
}

/**
 * Adds a job. Given a use case's transaction, the job exists when that commits, and not otherwise.
 * A job that fails is tried again up to 25 times, ever later (graphile-worker's exponential back-off).
 */
export async function addJob<Name extends keyof Jobs>(
	name: Name,
	payload: Jobs[Name],
	executor: Executor = db(),
): Promise<void> {
	await sql`select graphile_worker.add_job(${name}, payload => ${JSON.stringify(payload)}::json)`.execute(executor)
}
