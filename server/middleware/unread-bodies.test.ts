import { once } from 'node:events'
import { type ClientRequest, createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import { expect, onTestFinished, test } from 'vitest'
import { publicRequest } from './public-request.ts'
import { readUnreadBodies } from './unread-bodies.ts'

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
