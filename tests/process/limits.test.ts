import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Connections } from '../../server/connections.ts'
import { connectionLimits } from '../../server/limits.ts'
import { closedWithin, cutOffUploads, openStalledRequests, residentMb, waitOfOthers } from '../faults/abuse.ts'
import { descendants, processesOf, signalAll } from '../support/cluster.ts'
import { logInDemoMember } from '../support/demo-member.ts'
import { type SiteProcess, startSite } from '../support/site-process.ts'

/* What malicious clients, or a database that hangs, cost others. */

/** Tolerance in milliseconds: limits are checked once a second, and the machine may be busy. */
const lateMs = 15_000

const dataDir = mkdtempSync(join(tmpdir(), 'devquad-limits-'))
let site: SiteProcess

beforeAll(async () => {
	site = await startSite({ DATA_DIR: dataDir, SEED: 'demo', LOG_LEVEL: 'error' })
	await waitOfOthers(site.url)
})

afterAll(async () => {
	await site.stop()
	rmSync(dataDir, { recursive: true, force: true })
})

/** Requests a page over a raw socket and disconnects after this many milliseconds. */
function hangUp(path: string, after: number): Promise<void> {
	return new Promise((resolve) => {
		const { hostname, port } = new URL(site.url)
		const socket = connect(Number(port), hostname, () =>
			socket.write(`GET ${path} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nAccept-Encoding: br\r\n\r\n`),
		)
		socket.on('error', () => {})
		socket.on('close', () => resolve())
		setTimeout(() => socket.destroy(), after)
	})
}

test('disconnects at any moment neither end the process nor log a stack trace', async () => {
	const told = site.output().length
	for (let round = 0; round < 10; round += 1) {
		await Promise.all(Array.from({ length: 20 }, (_, index) => hangUp(index % 2 ? '/forum' : '/forum.data', index * 2)))
	}
	expect((await fetch(`${site.url}/forum`)).status).toBe(200)
	expect(site.child.exitCode).toBeNull()
	expect(site.output().slice(told)).not.toMatch(/at .*\.js:\d+/)
})

test('an upgrade request for another path than the socket is refused', async () => {
	const { hostname, port } = new URL(site.url)
	const answer = await new Promise<string>((resolve) => {
		const socket = connect(Number(port), hostname, () =>
			socket.write(
				`GET /elsewhere HTTP/1.1\r\nHost: ${hostname}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
			),
		)
		let text = ''
		socket.on('data', (chunk) => {
			text += chunk
		})
		socket.on('error', () => {})
		socket.on('close', () => resolve(text))
	})
	expect(answer).not.toContain('101')
})

test('500 connections that stop within headers, and 100 that stop before the body, are closed; others are served meanwhile', async () => {
	const { host } = new URL(site.url)
	const [headers, bodies] = await Promise.all([
		openStalledRequests(site.url, `GET /forum HTTP/1.1\r\nHost: ${host}\r\n`, 500),
		openStalledRequests(
			site.url,
			`POST /theme HTTP/1.1\r\nHost: ${host}\r\nOrigin: ${site.url}\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 400000\r\n\r\ntheme`,
			100,
		),
	])
	expect(Math.max(...(await waitOfOthers(site.url)))).toBeLessThan(10_000)
	await closedWithin(headers, connectionLimits.headersMs + lateMs)
	await closedWithin(bodies, connectionLimits.slowBodyMs + lateMs)
})

test.skipIf(process.platform !== 'linux')(
	'uploads that are cut off share one room: 400 of up to 7.5 MB raise the resident memory by less than 300 MB',
	async () => {
		const cookie = await logInDemoMember(site.url, dataDir)
		expect(cookie).toContain('session')
		const before = residentMb(site.child.pid ?? 0)
		for (let round = 0; round < 4; round += 1) {
			await cutOffUploads(site.url, cookie, 100, 100)
			await waitOfOthers(site.url)
		}
		// 16 bodies are in memory at once, and their memory is reused; when it is freed is up to the garbage collector.
		expect(residentMb(site.child.pid ?? 0) - before).toBeLessThan(300)
	},
)

test('/readyz responds within a second while the database hangs, and is ready again afterwards; /healthz does not query it', async () => {
	const [leader] = processesOf(join(dataDir, 'postgres'))
	const database = descendants(leader?.pid ?? 0).map(({ pid }) => pid)
	expect(database.length).toBeGreaterThan(1)
	const ask = async (path: string) => {
		const began = performance.now()
		const answer = await fetch(site.url + path)
		return { status: answer.status, text: await answer.text(), ms: performance.now() - began }
	}
	signalAll(database, 'SIGSTOP')
	try {
		for (let time = 0; time < 2; time += 1) {
			const [ready, health] = await Promise.all([ask('/readyz'), ask('/healthz')])
			expect(ready).toMatchObject({ status: 503, text: 'not ready' })
			expect(health).toMatchObject({ status: 200, text: expect.stringContaining('"status":"ok"') })
			// 800 ms for the database; the rest is tolerance for a busy machine.
			expect(ready.ms - health.ms).toBeLessThan(2_000)
		}
	} finally {
		signalAll(database, 'SIGCONT')
	}
	await expect.poll(async () => (await ask('/readyz')).text).toBe('ready')
})

test.each([
	[false, 503],
	[true, undefined],
])(
	'with a proxy in front (%s), the connection of one address beyond the limit gets %s',
	async (behindProxy, status) => {
		const server = createServer((_request, response) => response.end('ok'))
		new Connections(server, { behindProxy, maxPerAddress: 5 })
		await once(server.listen(0, '127.0.0.1'), 'listening')
		const { port } = server.address() as AddressInfo
		const sockets: Socket[] = []
		for (let index = 0; index < 6; index += 1) {
			const socket = connect(port, '127.0.0.1')
			await once(socket, 'connect')
			sockets.push(socket)
		}
		const last = sockets.at(-1) as Socket
		last.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
		const [answer] = await once(last, 'data')
		expect(String(answer)).toMatch(status ? /^HTTP\/1\.1 503/ : /^HTTP\/1\.1 200/)
		for (const socket of sockets) socket.destroy()
		server.close()
	},
)

test('a client that pipelines requests without reading responses is disconnected', async () => {
	const server = createServer(() => {})
	new Connections(server, { behindProxy: false })
	await once(server.listen(0, '127.0.0.1'), 'listening')
	const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
	socket.on('error', () => {})
	socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(connectionLimits.maxPipelined + 1))
	await once(socket, 'close')
	server.close()
})
