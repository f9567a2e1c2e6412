import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { addJob } from '~/platform/jobs/jobs.server.ts'
import { descendants } from '../support/cluster.ts'
import { useDatabase } from '../support/database.ts'
import { logInMember, type MembersSite, startOnTestDatabase } from '../support/members-site.ts'
import { closeTabs, openTab } from '../support/tabs.ts'

/*
 * What a site with two workers reports about itself. /metrics: access, aggregation of both, no personal data in metrics and log. Traces, as a
 * collector receives them: their structure, and no personal data.
 */

useDatabase()

const token = 'a token that Prometheus knows'
/** Personal data that members and visitors send here; it must not be reported. */
const personal = [
	'quillon',
	'campus.example',
	'secretword',
	'a private message',
	'127.0.0.1',
	'::1',
	'an agent of their own',
]
let site: MembersSite
/** The id of the request for a profile that is looked at below. */
let requestId: string | null

interface Span {
	traceId: string
	spanId: string
	parentSpanId?: string
	name: string
	status: { code?: number }
	attributes: { key: string; value: { stringValue?: string; intValue?: number } }[]
}

const key = 'a key that the collector knows'
const bodies: string[] = []
const keys = new Set<string | undefined>()
let collector: Server

const scrape = (authorization?: string) =>
	fetch(`${site.url}/metrics`, { headers: { ...(authorization && { Authorization: authorization }) } })
const figures = async () => (await scrape(`Bearer ${token}`)).text()

/** The sum of a metric over all series whose labels match. */
function total(text: string, name: string, ...labels: string[]): number {
	const lines = text.split('\n').filter((line) => new RegExp(`^${name}(\\{| )`).test(line))
	const found = lines.filter((line) => labels.every((label) => line.includes(label)))
	return found.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
}

const spans = () =>
	bodies.flatMap((body) => {
		const { resourceSpans } = JSON.parse(body) as { resourceSpans: { scopeSpans: { spans: Span[] }[] }[] }
		return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans))
	})
const named = (name: string) => spans().filter((span) => span.name === name)
const attribute = (span: Span | undefined, name: string) => {
	const value = span?.attributes.find((each) => each.key === name)?.value
	return value?.stringValue ?? value?.intValue
}
const below = (span: Span | undefined) => spans().filter(({ parentSpanId }) => parentSpanId === span?.spanId)

beforeAll(async () => {
	collector = createServer(async (request, response) => {
		keys.add(request.headers['x-key']?.toString())
		let body = ''
		for await (const chunk of request) body += chunk
		if (request.url === '/v1/traces') bodies.push(body)
		response.end('{}')
	}).listen(0, '127.0.0.1')
	await new Promise((listening) => collector.once('listening', listening))
	site = await startOnTestDatabase(undefined, {
		WEB_CONCURRENCY: '2',
		METRICS_TOKEN: token,
		OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}/`,
		OTEL_EXPORTER_OTLP_HEADERS: `x-key=${encodeURIComponent(key)}`,
		LOG_LEVEL: 'info',
	})
	await useSite()
})

afterAll(async () => {
	closeTabs()
	await site?.stop()
	collector?.close()
})

/** What the tests below find in metrics, log and traces. */
async function useSite(): Promise<void> {
	const [{ cookie }] = [await logInMember(site, 'quillon'), await logInMember(site, 'quillonia')]
	const tab = await openTab(site.url, cookie)
	await tab.emitWithAck('presence:watch', ['quillonia'])
	tab.emit('secretword' as never)
	for (let time = 0; time < 10; time += 1)
		await fetch(`${site.url}/forum?q=secretword${time}`, { headers: { Connection: 'close' } })
	await site.ask('/search?q=secretword', cookie)
	const headers = { Cookie: cookie, 'User-Agent': 'an agent of their own' }
	// Clients cannot choose the trace of their requests.
	const foreign = { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` }
	const answer = await fetch(`${site.url}/find-dev/quillonia?q=secretword`, { headers: { ...headers, ...foreign } })
	expect(answer.status).toBe(200)
	requestId = answer.headers.get('X-Request-Id')
	await site.ask('/no/such/page/secretword', '')
	const form = { intent: 'send', clientId: crypto.randomUUID(), body: 'a private message' }
	const sent = await site.ask('/messages/quillonia', cookie, form)
	expect(sent.status, await sent.text()).toBeLessThan(400)
	await addJob('send-mail', { to: 'quillon@campus.example', subject: 'secretword', text: '', html: '' })
}

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
	for (const word of personal.filter((one) => one !== 'secretword')) expect(text).not.toContain(word)
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

test('requests, socket events and jobs are root spans, with statements below them, without personal data', async () => {
	await expect
		.poll(() => [...new Set(spans().map(({ name }) => name))], { timeout: 30_000 })
		.toEqual(
			expect.arrayContaining([
				...['GET /find-dev/:username', 'GET none', 'POST /messages/:username', 'POST /login'],
				...['socket presence:watch', 'socket unknown', 'job send-mail', 'SELECT', 'INSERT', 'COMMIT'],
			]),
		)
	const [page] = named('GET /find-dev/:username')
	expect([page?.parentSpanId, attribute(page, 'http.response.status_code')]).toEqual([undefined, 200])
	expect(attribute(page, 'devquad.request_id')).toBe(requestId)
	expect(page?.traceId).not.toBe('a'.repeat(32))
	const statements = below(page)
	expect(statements.length).toBeGreaterThan(1)
	const texts = statements.map((each) => attribute(each, 'db.query.text'))
	expect(texts).toContain('select "id" from "users" where "username" = $1')
	for (const statement of statements) expect(statement.traceId).toBe(page?.traceId)
	const [sent] = named('POST /messages/:username')
	expect(below(sent).map(({ name }) => name)).toEqual(expect.arrayContaining(['SELECT']))
	expect(attribute(named('GET none')[0], 'http.response.status_code')).toBe(404)
	// Every span with a parent belongs to the trace of a request, an event or a job that was exported.
	const known = new Set(spans().map(({ spanId }) => spanId))
	const lost = spans().filter(({ parentSpanId }) => parentSpanId && !known.has(parentSpanId))
	expect(lost.map(({ name }) => name)).toEqual([])

	expect([...keys]).toEqual([key])
	const told = bodies.join('\n').toLowerCase()
	for (const word of personal) expect(told).not.toContain(word)
})

test('a log line has the id of its trace', () => {
	const lines = site.output().split('\n')
	const logins = lines.filter((line) => line.includes('"event":"login"')).map((line) => JSON.parse(line))
	const traces = new Set(named('POST /login').map(({ traceId }) => traceId))
	expect(logins).toHaveLength(2)
	for (const { traceId } of logins) expect([...traces]).toContain(traceId)
})

test('an unavailable collector delays nothing, and is logged once per process', async () => {
	collector.closeAllConnections()
	collector.close()
	for (let time = 0; time < 20; time += 1) expect((await site.ask(`/forum?page=${time}`, '')).status).toBe(200)
	await expect.poll(() => site.output(), { timeout: 60_000 }).toContain('traces could not be sent')
	expect(site.output().split('traces could not be sent').length - 1).toBeLessThanOrEqual(2)
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
