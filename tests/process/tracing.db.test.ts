import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addJob } from '~/platform/jobs/jobs.server.ts'
import { useDatabase } from '../support/database.ts'
import { logInMember, type MembersSite, startOnTestDatabase } from '../support/members-site.ts'
import { closeTabs, openTab } from '../support/tabs.ts'

/* Traces of a site with two workers, as a collector receives them: their structure, and no personal data. */

useDatabase()

interface Span {
	traceId: string
	spanId: string
	parentSpanId?: string
	name: string
	status: { code?: number }
	attributes: { key: string; value: { stringValue?: string; intValue?: number } }[]
}

/** Personal data that members and visitors send here; it must not be in a trace. */
const personal = ['quillon', 'campus.example', 'secretword', 'a private message', '127.0.0.1', 'an agent of their own']
const key = 'a key that the collector knows'
const bodies: string[] = []
const keys = new Set<string | undefined>()
let collector: Server
let site: MembersSite

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
		OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}/`,
		OTEL_EXPORTER_OTLP_HEADERS: `x-key=${encodeURIComponent(key)}`,
		LOG_LEVEL: 'info',
	})
})

afterAll(async () => {
	closeTabs()
	await site?.stop()
	collector?.close()
})

test('requests, socket events and jobs are root spans, with statements below them, without personal data', async () => {
	const [{ cookie }] = [await logInMember(site, 'quillon'), await logInMember(site, 'quillonia')]
	const headers = { Cookie: cookie, 'User-Agent': 'an agent of their own' }
	// Clients cannot choose the trace of their requests.
	const foreign = { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` }
	const answer = await fetch(`${site.url}/find-dev/quillonia?q=secretword`, { headers: { ...headers, ...foreign } })
	expect(answer.status).toBe(200)
	await site.ask('/no/such/page/secretword', '')
	const form = { intent: 'send', clientId: crypto.randomUUID(), body: 'a private message' }
	expect((await site.ask('/messages/quillonia', cookie, form)).status).toBeLessThan(400)
	const tab = await openTab(site.url, cookie)
	await tab.emitWithAck('presence:watch', ['quillonia'])
	tab.emit('secretword' as never)
	await addJob('send-mail', { to: 'quillon@campus.example', subject: 'secretword', text: '', html: '' })

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
	expect(attribute(page, 'devquad.request_id')).toBe(answer.headers.get('X-Request-Id'))
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
