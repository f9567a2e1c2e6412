import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { demoAccounts } from '~/features/demo/demo-account.server.ts'
import { descendants, signalAll } from '../support/cluster.ts'
import { eventually } from '../support/eventually.ts'
import { type SiteProcess, startSite } from '../support/site-process.ts'

/* PostgreSQL is stopped by SIGSTOP: it keeps its connections but does not respond, as on a hanging machine. */

/** The maximum time of any response in milliseconds; the first requests wait until the outage is detected. */
const MAX_ANSWER_MS = 10_000
/** Once the outage is detected, requests do not wait. */
const MAX_KNOWN_ANSWER_MS = 2_000
/** The maximum time until the site serves again. */
const MAX_RECOVERY_MS = 10_000

const dataDir = mkdtempSync(join(tmpdir(), 'devquad-outage-'))
const email = 'mira.quillon@eastmere.example'
let site: SiteProcess
let password: string
let stopped: number[] = []

beforeAll(async () => {
	site = await startSite({ DATA_DIR: dataDir })
	password = (await demoAccounts(dataDir))?.member.password ?? ''
})

afterAll(async () => {
	signal('SIGCONT')
	await site?.stop()
	rmSync(dataDir, { recursive: true, force: true })
})

const question = {
	title: 'Kept through an outage',
	description: 'What I typed & kept while nothing answered, at some length.',
	category: 'others',
	tags: 'outages',
}

interface Seen {
	status: number
	body: string
	headers: Headers
	ms: number
}

async function ask(path: string, { cookie = '', form }: { cookie?: string; form?: Record<string, string> } = {}) {
	const began = performance.now()
	const answer = await fetch(site.url + path, {
		redirect: 'manual',
		headers: { Origin: site.url, ...(cookie && { Cookie: cookie }) },
		...(form && { method: 'POST', body: new URLSearchParams(form) }),
	})
	const body = await answer.text()
	const ms = Math.round(performance.now() - began)
	const seen: Seen = { status: answer.status, body, headers: answer.headers, ms }
	return seen
}

/** The slowest of these responses in milliseconds, minus the last one, which needs no database and measures how busy the process is. */
function longestOf(answers: Seen[]): number {
	return Math.max(...answers.map(({ ms }) => ms)) - (answers.at(-1)?.ms ?? 0)
}

function signal(name: 'SIGSTOP' | 'SIGCONT'): void {
	if (name === 'SIGSTOP') {
		const leader = Number.parseInt(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8'), 10)
		stopped = descendants(leader).map(({ pid }) => pid)
	}
	signalAll(stopped, name)
}

/** Whether a response contains this text; a failing assertion should not print whole pages. */
const names = ({ body }: Seen, words: string) => body.includes(words)

const logLines = () =>
	site
		.output()
		.slice(site.output().indexOf('Press Ctrl-C'))
		.split('\n')
		.slice(1)
		.filter((line) => line !== '')
const told = (words: string) => logLines().filter((line) => line.includes(words))

test('while PostgreSQL hangs everybody gets an error in time, nobody is logged out, and the site recovers on its own', async () => {
	const login = await ask('/login', { form: { email, password } })
	const cookies = login.headers.getSetCookie().map((cookie) => cookie.split(';')[0] ?? '')
	const member = cookies.filter((cookie) => cookie.startsWith('session')).join('; ')
	// The session cookie without the short-lived signed one.
	const expired = cookies.filter((cookie) => cookie.startsWith('session=')).join('; ')
	const query = /href="(\/forum\/[a-z-]+\/[\w.-]+\/\d+\/[\w-]+)"/.exec((await ask('/forum')).body)?.[1] ?? ''
	expect([login.status, query]).toEqual([303, expect.stringContaining('/forum/')])
	await ask(query)
	expect(names(await ask('/find-dev', { cookie: member }), 'my-profile/mira.quillon')).toBe(true)

	signal('SIGSTOP')
	const first = await Promise.all([
		ask('/find-dev'),
		ask('/find-dev.data'),
		ask('/find-dev', { cookie: member }),
		// Not requested before: cached rows need no database.
		ask('/api/v1/queries?view=solved'),
		ask('/login', { form: { email, password } }),
		ask('/readyz'),
		ask('/find-dev', { cookie: expired }),
		ask('/forum/ask.data', { cookie: member, form: question }),
		ask('/healthz'),
	])
	const longest = longestOf(first)
	expect(first.map(({ status }) => status)).toEqual([...Array(8).fill(503), 200])
	// The format that the router's scripts expect as the response to a form.
	expect(first[7].headers.get('Content-Type')).toContain('text/x-script')
	expect(names(first[7], 'Kept through an outage')).toBe(true)
	expect(longest).toBeLessThan(MAX_ANSWER_MS)

	const known = await Promise.all([
		ask('/find-dev'),
		ask('/find-dev.data'),
		ask('/find-dev', { cookie: member }),
		ask('/find-dev', { cookie: expired }),
		ask('/api/v1/queries?view=solved'),
		ask('/api/v1/me', { cookie: expired }),
		ask('/login', { form: { email, password } }),
		ask('/forum/ask', { cookie: member, form: question }),
		ask('/api/auth/get-session', { cookie: expired }),
		ask('/healthz'),
	])
	const [page, data, own, unknown, api, apiMe, form, ask503, session] = known
	expect(known.map(({ status }) => status)).toEqual([...Array(9).fill(503), 200])
	expect(longestOf(known)).toBeLessThan(MAX_KNOWN_ANSWER_MS)
	for (const answer of known.slice(0, 9)) {
		expect(Number(answer.headers.get('Retry-After'))).toBeGreaterThan(0)
		expect(answer.headers.getSetCookie()).toEqual([])
	}
	for (const answer of [page, data, own, unknown, api, form])
		expect(names(answer, 'cannot reach its database')).toBe(true)
	expect(names(page, 'http-equiv="refresh"')).toBe(true)
	expect(names(page, 'href="/login"')).toBe(true)
	// What runs before its loader fails here.
	const asked = await ask(query, { cookie: member })
	expect([asked.status, names(asked, 'cannot reach its database')]).toEqual([503, true])
	// The header shows the member of the signed cookie; once that has expired, neither a member nor a visitor.
	expect(names(own, 'my-profile/mira.quillon')).toBe(true)
	expect(names(own, 'href="/login"')).toBe(false)
	expect(names(unknown, 'my-profile/mira.quillon')).toBe(false)
	expect(names(unknown, 'href="/login"')).toBe(false)
	expect(names(form, `value="${email}"`)).toBe(true)
	expect(names(form, password)).toBe(false)
	expect(names(ask503, 'Kept through an outage')).toBe(true)
	expect(names(ask503, 'typed &amp; kept')).toBe(true)
	expect(api.headers.get('Content-Type')).toContain('application/problem+json')
	expect(JSON.parse(apiMe.body)).toMatchObject({ status: 503, title: 'Service Unavailable' })
	expect(names(session, 'null')).toBe(false)

	// Cached pages are still served to visitors.
	const kept = await Promise.all([ask('/forum'), ask(query), ask('/forum.data')])
	expect(kept.slice(0, 2).map(({ status }) => status)).toEqual([200, 200])

	// Long enough for every connection to be noticed as dead, including those that only listen.
	await sleep(16_000)
	expect((await ask('/forum')).status).toBe(200)
	expect(names(await ask('/find-dev', { cookie: member }), 'my-profile/mira.quillon')).toBe(true)

	signal('SIGCONT')
	const back = performance.now()
	await eventually(async () => {
		const answers = await Promise.all([ask('/find-dev'), ask('/find-dev', { cookie: expired }), ask('/readyz')])
		expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
		expect(names(answers[1], 'my-profile/mira.quillon')).toBe(true)
	})
	const recovery = Math.round(performance.now() - back)
	expect(recovery).toBeLessThan(MAX_RECOVERY_MS)
	expect((await ask('/login', { form: { email, password } })).status).toBe(303)

	// One log line at the start of the outage, one at its end, and none per request.
	expect([told('cannot be reached'), told('answers again')].map(({ length }) => length)).toEqual([1, 1])
	expect(logLines().length).toBeLessThan(10)
	process.stdout.write(`outage: longest answer ${longest} ms, recovery ${recovery} ms, ${logLines().length} lines\n`)
	for (const line of logLines()) expect(() => JSON.parse(line), line).not.toThrow()
})
