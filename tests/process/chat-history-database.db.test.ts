import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { closeDatabase, db, openDatabase } from '~/platform/db/db.server.ts'
import { addJob } from '~/platform/jobs/jobs.server.ts'
import { ChatRun, isLongRun, seed } from '../support/chat-run.ts'
import { descendants } from '../support/cluster.ts'
import { eventually } from '../support/eventually.ts'
import { logInMember, type MembersSite, startOnTestDatabase } from '../support/members-site.ts'
import { type OwnPostgres, startOwnPostgres } from '../support/own-postgres.ts'
import { closeTabs, nextEvent, openTab } from '../support/tabs.ts'

/* PostgreSQL is killed with SIGKILL during writes and restarted; the site recovers on its own. */

const kills = isLongRun ? 4 : 2
/** Per member between two kills, more than an idle machine can do. */
const maxActs = 4
/** Milliseconds after which every process has noticed the outage, and will tell its tabs to catch up. */
const noticed = 6_000

let postgres: OwnPostgres

beforeAll(async () => {
	postgres = await startOwnPostgres()
	openDatabase({ connectionString: postgres.url })
})

afterAll(async () => {
	await closeDatabase()
	await postgres.stop()
})

test.each([1, 4])(
	`%i process(es), and PostgreSQL killed ${kills + 1} times while members write: the history holds (CHAT_HISTORY_SEED=${seed})`,
	async (processes) => {
		const run = new ChatRun()
		const settings = { DATABASE_URL: postgres.url, WEB_CONCURRENCY: String(processes) }
		const site = await startOnTestDatabase(undefined, settings)
		onTestFinished(() => site.stop())
		onTestFinished(closeTabs)
		const serving = descendants(site.pid).map(({ pid }) => pid)
		const reader = await logInMember(site, `reader-${processes}`)
		await run.meet(site, 4, () => site.url, String(processes))
		run.begin(maxActs)
		for (let killed = 0; killed < kills; killed += 1) {
			await sleep(1_000 + run.random() * 2_000)
			await postgres.kill()
			await expectUnavailable(site, reader.cookie)
			await sleep(run.random() * 2_000)
			await postgres.start()
			run.allowActs(maxActs)
		}
		await sleep(1_000)
		// Longer than a tab retries: it is disconnected, so that it catches up later.
		const cut = nextEvent(await openTab(site.url, reader.cookie), 'disconnect')
		await postgres.kill()
		await sleep(noticed)
		await postgres.start()
		await cut
		run.end()
		await run.judge(25 * kills)
		await expectJobsToRun(site)
		expect(descendants(site.pid).map(({ pid }) => pid)).toEqual(serving)
	},
)

/** Without its database the site responds 503, and logs nobody out. */
async function expectUnavailable(site: MembersSite, cookie: string): Promise<void> {
	expect((await site.ask('/readyz', '')).status).toBe(503)
	expect((await site.ask('/healthz', '')).status).toBe(200)
	const form = { intent: 'send', clientId: crypto.randomUUID(), body: 'Is anybody there?' }
	for (const answer of [await site.ask('/messages', cookie), await site.ask('/messages/mira', cookie, form)]) {
		expect(answer.status).toBeGreaterThanOrEqual(500)
		expect(answer.headers.getSetCookie().filter((set) => set.startsWith('session'))).toEqual([])
	}
}

/** Jobs in the queue run. */
async function expectJobsToRun(site: MembersSite): Promise<void> {
	expect((await site.ask('/readyz', '')).status).toBe(200)
	await addJob('account-mail', { kind: 'none', email: '' })
	await eventually(async () => {
		const { rows } = await sql`select from graphile_worker.jobs where task_identifier = 'account-mail'`.execute(db())
		expect(rows).toEqual([])
	})
}
