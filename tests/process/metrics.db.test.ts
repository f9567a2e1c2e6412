import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { addJob } from '~/platform/jobs/jobs.server.ts'
import { descendants } from '../support/cluster.ts'
import { useDatabase } from '../support/database.ts'
import { logInMember, type MembersSite, startOnTestDatabase } from '../support/members-site.ts'
import { closeTabs, openTab } from '../support/tabs.ts'

/* /metrics of a site with two workers: access, aggregation of both, and no personal data in metrics and log. */

useDatabase()

const token = 'a token that Prometheus knows'
/** Personal data that members and visitors send here; it must not be logged. */
const personal = ['quillon', 'campus.example', 'secretword', 'a private message']
let site: MembersSite

const scrape = (authorization?: string) =>
	fetch(`${site.url}/metrics`, { headers: { ...(authorization && { Authorization: authorization }) } })
const figures = async () => (await scrape(`Bearer ${token}`)).text()

/** The sum of a metric over all series whose labels match. */
function total(text: string, name: string, ...labels: string[]): number {
	const lines = text.split('\n').filter((line) => new RegExp(`^${name}(\\{| )`).test(line))
	const found = lines.filter((line) => labels.every((label) => line.includes(label)))
	return found.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
}

beforeAll(async () => {
	site = await startOnTestDatabase(undefined, { WEB_CONCURRENCY: '2', METRICS_TOKEN: token, LOG_LEVEL: 'info' })
})

afterAll(async () => {
	closeTabs()
	await site?.stop()
})

test.each([
	['no token', undefined],
	['another token', 'Bearer a token that nobody knows'],
	['the token in another form', `Basic ${token}`],
])('%s is refused', async (_what, authorization) => {
	const answer = await scrape(authorization)
	expect([answer.status, answer.headers.get('WWW-Authenticate')]).toEqual([401, 'Bearer'])
	expect(await answer.text()).not.toContain('devquad_')
})

test('metrics of both workers are aggregated, without personal data', async () => {
	const [{ cookie }, { cookie: other }] = [await logInMember(site, 'quillon'), await logInMember(site, 'quillonia')]
	await openTab(site.url, cookie)
	for (let time = 0; time < 10; time += 1)
		await fetch(`${site.url}/forum?q=secretword${time}`, { headers: { Connection: 'close' } })
	await site.ask('/search?q=secretword', cookie)
	await site.ask('/find-dev/quillon', other)
	await site.ask('/no/such/page/secretword', '')
	const sent = await site.ask('/messages/quillonia', cookie, {
		intent: 'send',
		clientId: crypto.randomUUID(),
		body: 'a private message',
	})
	expect(sent.status, await sent.text()).toBeLessThan(400)
	await addJob('send-mail', { to: 'quillon@campus.example', subject: 'secretword', text: '', html: '' })
	await expect.poll(async () => total(await figures(), 'devquad_mails_total', 'written')).toBeGreaterThanOrEqual(1)
	const text = await figures()
	expect(total(text, 'devquad_processes')).toBe(2)
	expect(total(text, 'devquad_sockets')).toBe(1)
	expect(total(text, 'devquad_messages_total')).toBe(1)
	expect(total(text, 'devquad_http_requests_total', 'route="/forum"', 'status="200"')).toBe(10)
	expect(total(text, 'devquad_http_request_duration_seconds_count', 'route="/find-dev/:username"')).toBe(1)
	expect(total(text, 'devquad_http_requests_total', 'route="none"', 'status="404"')).toBe(1)
	expect(total(text, 'devquad_page_cache_requests_total', 'miss')).toBeGreaterThan(0)
	expect(total(text, 'devquad_searches_without_result_total')).toBeGreaterThanOrEqual(1)
	expect(total(text, 'devquad_job_tries_total', 'task="send-mail"', 'outcome="done"')).toBeGreaterThanOrEqual(1)
	expect(total(text, 'devquad_database_statement_duration_seconds_count')).toBeGreaterThan(20)
	expect(total(text, 'devquad_database_up')).toBe(1)
	expect(total(text, 'devquad_disk_free_bytes')).toBeGreaterThan(0)
	const begun = total(text, 'process_start_time_seconds')
	expect([begun > Date.now() / 1_000 - 600, begun <= Date.now() / 1_000]).toEqual([true, true])
	expect(text).toMatch(/devquad_build_info\{version="\d+\.\d+\.\d+"/)
	for (const word of personal) expect(text.toLowerCase()).not.toContain(word)
})

test('each log line is JSON, has its request’s id if there is one, and no personal data', () => {
	const lines = site
		.output()
		.split('\n')
		.filter((line) => line.startsWith('{'))
		.map((line): Record<string, unknown> => JSON.parse(line))
	const logins = lines.filter(({ event }) => event === 'login')
	expect(logins.length).toBe(2)
	for (const login of logins) expect(login.requestId).toMatch(/^[\da-f-]{36}$/)
	const text = lines.map((line) => JSON.stringify(line)).join('\n')
	for (const word of [...personal.filter((one) => one !== 'secretword'), '127.0.0.1', '::1'])
		expect(text).not.toContain(word)
})

describe('alert rules and dashboard', () => {
	const named = (text: string) => new Set(text.match(/\b(devquad|nodejs|process)_[a-z0-9_]+\b/g))
	const alerts = readFileSync('deploy/prometheus/alerts.yaml', 'utf8')
	const dashboard = readFileSync('deploy/grafana/devquad.json', 'utf8')

	test('every metric they use exists, with its labels', async () => {
		const text = await figures()
		const known = new Set(
			[...text.matchAll(/^# TYPE (\w+) (\w+)/gm)].flatMap(([, name = '', type]) =>
				type === 'histogram' ? [`${name}_bucket`, `${name}_count`, `${name}_sum`] : [name],
			),
		)
		const missing = [...named(alerts), ...named(dashboard)].filter((name) => !known.has(name))
		expect(missing).toEqual([])
		for (const expression of expressions())
			for (const [, name = '', labels = ''] of expression.matchAll(/\b(devquad_\w+)\{([^}]*)\}/g))
				for (const [, label = ''] of labels.matchAll(/(\w+)(?==|!=|=~)/g))
					expect(text, `${name} has no label ${label}`).toMatch(new RegExp(`^${name}\\{[^}]*\\b${label}="`, 'm'))
	})

	test('they are valid', () => {
		const { groups } = parse(alerts) as { groups: { rules: { alert: string; expr: string; annotations: object }[] }[] }
		const rules = groups.flatMap((group) => group.rules)
		expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length)
		for (const rule of rules)
			expect(rule).toMatchObject({ expr: expect.any(String), annotations: { summary: expect.any(String) } })
		for (const expression of expressions()) {
			expect([...expression.matchAll(/[({[]/g)].length).toBe([...expression.matchAll(/[)}\]]/g)].length)
			expect(expression).toMatch(/devquad_|nodejs_|process_|^up\{/)
		}
	})

	function expressions(): string[] {
		const { panels } = JSON.parse(dashboard) as { panels: { targets: { expr: string }[] }[] }
		const rules = [...alerts.matchAll(/^ +expr: (.+)$/gm)].map(([, expression = '']) => expression)
		return [...panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)), ...rules]
	}
})

test('what was counted stays counted while a worker does not answer, and after it has ended', async () => {
	const servers = descendants(site.pid).filter(({ command }) => command.includes('server/main.js'))
	const pid = servers.findLast(({ parent }) => servers.some((other) => other.pid === parent))?.pid ?? 0
	for (let time = 0; time < 10; time += 1) await fetch(site.url, { headers: { Connection: 'close' } })
	const counted = (text: string) => [
		total(text, 'devquad_http_requests_total', 'route="/"', 'status="200"'),
		total(text, 'devquad_http_request_duration_seconds_count', 'route="/"'),
	]
	/** A connection to the stopped worker is given up, and the next one leads to the other. */
	const figuresOf = async (processes: number): Promise<number[]> => {
		let text = ''
		await expect
			.poll(
				async () => {
					const headers = { Authorization: `Bearer ${token}`, Connection: 'close' }
					const answer = await fetch(`${site.url}/metrics`, { headers, signal: AbortSignal.timeout(3_000) }).catch(
						() => null,
					)
					text = (await answer?.text()) ?? ''
					return total(text, 'devquad_processes')
				},
				{ timeout: 30_000 },
			)
			.toBe(processes)
		return counted(text)
	}
	const before = await figuresOf(2)
	expect(before[0]).toBeGreaterThanOrEqual(10)
	process.kill(pid, 'SIGSTOP')
	expect(await figuresOf(1)).toEqual(before)
	process.kill(pid, 'SIGKILL')
	expect(await figuresOf(2)).toEqual(before)
}, 60_000)
