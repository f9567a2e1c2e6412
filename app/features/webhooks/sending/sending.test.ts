import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { config } from '~/config.server.ts'
import { addressFault, guardedPost, isPublicAddress } from './guarded-post.server.ts'
import { newSecret, signedHeaders } from './signature.server.ts'

test('signs as the published example of Standard Webhooks', () => {
	// The test of its reference libraries.
	const message = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', seconds: 1_614_265_330, body: '{"test": 2432232314}' }
	expect(signedHeaders('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', message)).toEqual({
		'Webhook-Id': message.id,
		'Webhook-Timestamp': '1614265330',
		'Webhook-Signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
	})
	expect(newSecret()).toMatch(/^whsec_[\w+/]{43}=$/)
})

const local = [
	...[
		'127.0.0.1',
		'127.255.255.254',
		'0.0.0.0',
		'10.1.2.3',
		'100.64.0.1',
		'169.254.169.254',
		'172.16.0.1',
		'172.31.9.9',
	],
	...[
		'192.168.1.1',
		'192.0.0.8',
		'192.0.2.1',
		'198.18.0.1',
		'198.51.100.1',
		'203.0.113.9',
		'224.0.0.1',
		'255.255.255.255',
	],
	...[
		'::',
		'::1',
		'fe80::1',
		'fc00::1',
		'fd12:3456::1',
		'ff02::1',
		'::ffff:127.0.0.1',
		'::ffff:8.8.8.8',
		'::127.0.0.1',
	],
	...['64:ff9b::7f00:1', '64:ff9b:1::1', '2001::1', '2001:db8::1', '2002:7f00:1::1', '3fff::1', 'fec0::1', '5f00::1'],
]

test.each(local)('%s is not public', (address) => {
	expect(isPublicAddress(address)).toBe(false)
})

test.each([
	'8.8.8.8',
	'9.255.255.255',
	'11.0.0.1',
	'100.128.0.1',
	'172.32.0.1',
	'193.0.0.1',
	'223.255.255.255',
	'2606:4700::1111',
	'2a00:1450::1',
])('%s is public', (address) => {
	expect(isPublicAddress(address)).toBe(true)
})

const noPublic = /is not a public address/

test.each([
	['https://campus.example/hook?token=a', null],
	['https://8.8.8.8:8443/', null],
	['http://campus.example/hook', /begins with https/],
	['https://127.0.0.1/', noPublic],
	['https://0x7f.1/', noPublic],
	['https://2130706433/', noPublic],
	['https://[::1]/', noPublic],
	['https://[::ffff:169.254.169.254]/', noPublic],
	['https://user:secret@campus.example/', /user name/],
	['ftp://campus.example/', /such as https/],
	['file:///etc/passwd', /such as https/],
	['/hook', /such as https/],
])('as the address of a webhook, %s is judged', (address, fault) => {
	if (fault) expect(addressFault(address)).toMatch(fault)
	else expect(addressFault(address)).toBeNull()
})

describe('a request', () => {
	let server: Server
	let port: number
	let requests: { url: string | undefined; body: string }[]
	let connections = 0
	let wasTaken: Promise<boolean>
	/** `raw` is written as it is, and no more. */
	let answer: (
		path: string,
	) => { status: number; headers?: Record<string, string>; body?: string } | { raw: string } | null

	beforeAll(async () => {
		server = createServer(async (request, response) => {
			let body = ''
			for await (const part of request) body += part
			requests.push({ url: request.url, body })
			const given = answer(request.url ?? '')
			wasTaken = once(response, 'close').then(() => response.writableFinished)
			if (given && 'raw' in given) response.socket?.write(given.raw)
			else if (given) response.writeHead(given.status, given.headers).end(given.body)
		})
		server.on('connection', () => {
			connections += 1
		})
		server.listen(0, '127.0.0.1')
		await once(server, 'listening')
		port = (server.address() as AddressInfo).port
	})

	afterAll(() => {
		config().WEBHOOK_PRIVATE_ADDRESSES = false
		server.closeAllConnections()
		server.close()
	})

	beforeEach(() => {
		config().WEBHOOK_PRIVATE_ADDRESSES = true
		requests = []
		connections = 0
		answer = () => ({ status: 204 })
	})

	/** Makes the time limit of requests this short. */
	const limitTo = (milliseconds: number) => {
		const timeout = AbortSignal.timeout.bind(AbortSignal)
		vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => timeout(milliseconds))
	}

	const post = (host = '127.0.0.1') =>
		guardedPost(`http://${host}:${port}/hook`, { 'Content-Type': 'text/plain' }, 'Hi')

	test('reaches a private address by http where the site allows those', async () => {
		expect(await post()).toBe(204)
		expect(await post('localhost')).toBe(204)
		expect(requests).toEqual([
			{ url: '/hook', body: 'Hi' },
			{ url: '/hook', body: 'Hi' },
		])
	})

	test('does not even connect to one by its number or its name where the site does not', async () => {
		config().WEBHOOK_PRIVATE_ADDRESSES = false
		for (const host of ['127.0.0.1', 'localhost', '[::1]'])
			await expect(guardedPost(`https://${host}:${port}/`, {}, '')).rejects.toThrow(noPublic)
		await expect(post('localhost')).rejects.toThrow('https://')
		expect(connections).toBe(0)
	})

	test('follows no redirect', async () => {
		answer = () => ({ status: 307, headers: { Location: `http://127.0.0.1:${port}/elsewhere` } })
		expect(await post()).toBe(307)
		expect(requests).toHaveLength(1)
	})

	test('reads no more than the beginning of an answer', async () => {
		answer = () => ({ status: 200, body: 'x'.repeat(32 * 1024 * 1024) })
		expect(await post()).toBe(200)
		expect(await wasTaken).toBe(false)
	})

	test('ends where the server switches to another protocol', async () => {
		answer = () => ({ raw: 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n' })
		await expect(post()).rejects.toThrow('The server ended the connection without an answer.')
	})

	test('has the status of an answer whose rest does not come in time', async () => {
		limitTo(500)
		answer = () => ({ raw: 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nx' })
		expect(await post()).toBe(200)
	})

	test('says that there was no answer in time, and that nobody listens', async () => {
		await expect(guardedPost('http://127.0.0.1:1/', {}, '')).rejects.toThrow('ECONNREFUSED')
		answer = () => null
		limitTo(50)
		await expect(post()).rejects.toThrow('There was no answer within 10 seconds.')
		vi.mocked(AbortSignal.timeout).mockReturnValue(AbortSignal.abort())
		await expect(post()).rejects.toThrow('There was no answer within 10 seconds.')
	})
})
