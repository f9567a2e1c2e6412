import { once } from 'node:events'
import { type ClientRequest, createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { HttpBindings } from '@hono/node-server'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../tests/support/eventually.ts'
import { limitLargeBodies, readUnreadBodies } from './bodies.ts'
import { publicRequest } from './public-request.ts'

test.each([
	['/api/v1/pictures', 'application/problem+json'],
	['/media', 'text/plain; charset=UTF-8'],
])('%s is refused in its own format while too many files are being sent', async (path, type) => {
	const app = new Hono<{ Bindings: HttpBindings }>()
	app.use(limitLargeBodies(() => '192.0.2.1', { maxAtOnce: 0, maxPerAddress: 1, maxWaitMs: 0 }))
	const sent = { method: 'POST', headers: { 'Content-Length': String(1024 * 1024) } }
	const answer = await app.request(path, sent, { incoming: { destroyed: false } } as unknown as HttpBindings)
	expect([answer.status, answer.headers.get('Content-Type')]).toEqual([503, type])
	expect(answer.headers.get('Retry-After')).toBe('10')
	expect(await answer.text()).toContain('Too many files are being sent at the moment.')
})

test('the addresses of one network of IPv6 have the turns of one address', async () => {
	const app = new Hono<{ Bindings: HttpBindings }>()
	app.use(
		limitLargeBodies((request) => request.headers.get('From') ?? '', { maxAtOnce: 4, maxPerAddress: 1, maxWaitMs: 0 }),
	)
	const { promise, resolve } = Promise.withResolvers<void>()
	let begun = 0
	app.post('/', async (context) => {
		begun += 1
		await promise
		return context.text('done')
	})
	const send = async (address: string) => {
		const headers = { 'Content-Length': String(1024 * 1024), From: address }
		const sent = { method: 'POST', headers }
		return (await app.request('/', sent, { incoming: { destroyed: false } } as unknown as HttpBindings)).status
	}
	const first = [send('2001:db8::1'), send('2001:db8:0:1::1')]
	await eventually(() => expect(begun).toBe(2))
	expect(await send('2001:db8::2')).toBe(503)
	resolve()
	expect(await Promise.all(first)).toEqual([200, 200])
})

test('a connection whose large request was refused unread accepts another one', async () => {
	const app = new Hono()
	let isPaused = false
	app.use(readUnreadBodies())
	app.post('/', async (context) => {
		// By the time the site refuses, the adapter has begun to read.
		while (!isPaused) await nextTurn()
		return context.text('Too large.', 413)
	})
	const listener = getRequestListener((sent) => app.fetch(publicRequest(sent, '192.0.2.1', { TRUST_PROXY: false })), {
		overrideGlobalObjects: false,
	})
	const server = createServer(listener).listen(0, '127.0.0.1')
	onTestFinished(() => void server.close())
	const ended = new Promise((resolve) => {
		server.on('request', (incoming) => {
			incoming.on('pause', () => {
				isPaused = true
			})
			incoming.on('end', () => resolve('read to its end'))
			incoming.socket.on('close', () => resolve('connection closed'))
		})
	})
	await once(server, 'listening')
	const { port } = server.address() as AddressInfo
	const asked: ClientRequest = request({ port, method: 'POST', headers: { 'Content-Length': 600_000 } })
	asked.on('error', () => {}).end('x'.repeat(600_000))
	const [answer] = await once(asked, 'response')
	answer.resume()
	expect([answer.statusCode, await ended]).toEqual([413, 'read to its end'])
	asked.destroy()
})
