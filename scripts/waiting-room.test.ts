import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, request, type Server } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { freePort } from './support/free-ports.ts'
import { root } from './support/install.mjs'

/* The waiting room alone, before a node that is a plain server; with nginx and the site it is in tests/process/proxies.test.ts. */

const ends: (() => unknown)[] = []
afterEach(async () => {
	for (const end of ends.splice(0)) await end()
})

/** @returns the port of a waiting room before a node on the other port, which does not listen yet */
async function open(...options: string[]): Promise<{ room: number; node: number }> {
	const [room, node] = [await freePort(), await freePort()]
	const args = ['scripts/waiting-room.mjs', '--port', String(room), '--node', String(node), ...options]
	const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'], env: {} })
	ends.push(() => child.kill())
	await once(child.stdout, 'data')
	return { room, node }
}

/** A node that echoes requests and counts them. */
async function listen(port: number): Promise<{ server: Server; asked: string[] }> {
	const asked: string[] = []
	const server = createServer(async (incoming, response) => {
		const body = await text(incoming)
		asked.push(`${incoming.method} ${incoming.url} ${body.length}`)
		response.end(body)
	})
	server.on('upgrade', (_incoming, socket) => {
		socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n')
		socket.pipe(socket)
	})
	server.listen(port, '127.0.0.1')
	await once(server, 'listening')
	ends.push(() => {
		server.closeAllConnections()
		server.close()
	})
	return { server, asked }
}

async function ask(port: number, method: string, path: string, body = '') {
	const sent = request({ host: '127.0.0.1', port, method, path, agent: false })
	sent.end(body)
	const [answer] = await once(sent, 'response')
	return { status: answer.statusCode, retryAfter: answer.headers['retry-after'], body: await text(answer) }
}

test('a request that arrives before a node listens is answered by it once, with its whole body', async () => {
	const { room, node } = await open()
	// More than is read from a waiting connection.
	const long = 'x'.repeat(300_000)
	const answers = [ask(room, 'GET', '/early'), ask(room, 'POST', '/form', long)]
	await sleep(300)
	const { asked } = await listen(node)
	expect((await Promise.all(answers)).map(({ status, body }) => [status, body.length])).toEqual([
		[200, 0],
		[200, long.length],
	])
	expect(asked.sort()).toEqual(['GET /early 0', `POST /form ${long.length}`])
	expect(await ask(room, 'GET', '/later')).toMatchObject({ status: 200 })
})

test('a WebSocket that is opened early is forwarded, with later messages of both sides', async () => {
	const { room, node } = await open()
	const socket = connect(room, '127.0.0.1')
	ends.push(() => socket.destroy())
	socket.write('GET /realtime HTTP/1.1\r\nHost: quad\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n')
	await sleep(200)
	await listen(node)
	let heard = ''
	socket.on('data', (chunk) => (heard += chunk))
	await expect.poll(() => heard).toContain('101 Switching Protocols')
	socket.write('are you there?')
	await expect.poll(() => heard).toMatch(/are you there\?$/)
})

test('a request that has waited too long gets an error, and one whose client left is not forwarded', async () => {
	const { room, node } = await open('--wait', '1')
	const gone = request({ host: '127.0.0.1', port: room, method: 'POST', path: '/gone', agent: false })
	gone.on('error', () => {})
	gone.end('text')
	await sleep(200)
	gone.destroy()
	expect(await ask(room, 'GET', '/')).toEqual({
		status: 503,
		retryAfter: '10',
		body: 'The site is being restarted and cannot answer yet. Please try again in a minute.\n',
	})
	const { asked } = await listen(node)
	expect(await ask(room, 'GET', '/next')).toMatchObject({ status: 200 })
	expect(asked).toEqual(['GET /next 0'])
})
