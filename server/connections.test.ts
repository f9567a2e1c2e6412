import { EventEmitter, once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { setImmediate as afterReading, setTimeout as sleep } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { Connections } from './connections.ts'
import { shutdownLimits } from './limits.ts'

const ask = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`

test.each([
	['before', () => sleep(1)],
	['after', () => afterReading()],
])(
	'a request that arrives while another one keeps the process busy is answered, though its connection seems idle: begun %s what has arrived is read',
	async (_when, until) => {
		const server = createServer((request, response) => {
			if (request.url === '/busy') {
				idle.write(ask('/'))
				for (const end = performance.now() + 1.2 * shutdownLimits.idleConnectionMs; performance.now() < end; );
			}
			response.end('answered')
		})
		const connections = new Connections(server, { behindProxy: false })
		server.listen(0, '127.0.0.1')
		await once(server, 'listening')
		const open = async () => {
			const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
			await once(server, 'connection')
			return client
		}
		const [idle, busy] = [await open(), await open()]
		await until()
		const drained = connections.drain(shutdownLimits.drainMs)
		busy.write(ask('/busy'))
		const answers = await Promise.all([text(idle), text(busy)])
		for (const answer of answers) expect(answer).toMatch(/^HTTP\/1\.1 200 OK.*Connection: close.*answered$/is)
		await drained
		server.close()
	},
)

test('the addresses of one network of IPv6 have the connections of one address', () => {
	const server = createServer()
	new Connections(server, { behindProxy: false, maxPerAddress: 2 })
	const isRefused = (remoteAddress: string) => {
		const end = vi.fn()
		server.emit('connection', Object.assign(new EventEmitter(), { remoteAddress, end, destroySoon: () => {} }))
		return end.mock.calls.length > 0
	}
	const addresses = ['2001:db8::1', '2001:db8::2', '2001:db8::3', '2001:db8:0:1::1', '::ffff:192.0.2.1']
	expect(addresses.map(isRefused)).toEqual([false, false, true, false, false])
	server.emit('close')
})
