import pg from 'pg'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { invalidatePages, listenForInvalidations } from '~/platform/cache/pages.server.ts'
import { pool } from '~/platform/db/db.server.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { eventually } from '../../../tests/support/eventually.ts'
import { NetworkProxy } from '../../../tests/support/network-proxy.ts'
import { hasRedis, startRedis, type TestRedis } from '../../../tests/support/redis.ts'
import { redisTransport } from './bus.server.ts'
import { Bus, type BusTransport } from './bus.ts'
import { postgresTransport } from './postgres-transport.server.ts'
import { closeRedis, connectRedis } from './redis.server.ts'

useDatabase()

function listener() {
	return { onMessage: vi.fn(), onLost: vi.fn(), onBack: vi.fn() }
}

let redis: TestRedis

beforeAll(async () => {
	if (hasRedis) redis = await startRedis()
})

afterAll(async () => {
	closeRedis()
	await redis?.stop()
})

const carriers: { name: string; carry: () => BusTransport; cut: () => Promise<void>; skip: boolean }[] = [
	{
		name: 'PostgreSQL',
		carry: postgresTransport,
		cut: async () => {
			await pool().query(`select pg_terminate_backend(pid) from pg_stat_activity
				where application_name = 'devquad bus' and datname = current_database()`)
		},
		skip: false,
	},
	{
		name: 'Redis',
		carry: () => redisTransport(redis.url, 'https://quad.example'),
		cut: async () => {
			await redis.stop()
			await redis.start()
		},
		skip: !hasRedis,
	},
]

describe.each(carriers)('over $name', ({ carry, cut, skip }) => {
	/** Two processes, of which the second subscribes. */
	async function open() {
		const hears = listener()
		const [here, there] = [new Bus(carry()), new Bus(carry())]
		const stop = await there.open('things', hears)
		return { here, there, hears, stop }
	}

	test('messages of another process arrive, and a process does not receive its own', { skip }, async () => {
		const { here, there, hears, stop } = await open()
		await eventually(() => there.publish('things', 'our own'))
		await here.publish('things', 'one two')
		await eventually(() => expect(hears.onMessage.mock.calls).toEqual([['one two']]))
		await stop()
		expect(hears.onLost).not.toHaveBeenCalled()
	})

	test('a thousand messages of one process arrive once each and in order, long ones complete', { skip }, async () => {
		const { here, hears, stop } = await open()
		await eventually(() => here.publish('others', 'ready'))
		const said = Array.from({ length: 1_000 }, (_, index) => `${index} ${index % 100 ? '' : '学🙂'.repeat(5_000)}`)
		await Promise.all(said.map((message) => here.publish('things', message)))
		await eventually(() => expect(hears.onMessage).toHaveBeenCalledTimes(said.length))
		expect(hears.onMessage.mock.calls.flat()).toEqual(said)
		await stop()
	})

	test('a lost connection is reported and re-established', { skip }, async () => {
		const { here, hears, stop } = await open()
		await cut()
		await eventually(() => expect(hears.onBack).toHaveBeenCalled())
		expect(hears.onLost).toHaveBeenCalled()
		await eventually(async () => {
			await here.publish('things', 'after')
			expect(hears.onMessage).toHaveBeenCalledWith('after')
		})
		await stop()
	})
})

test('a connection to PostgreSQL that takes no LISTEN, as at a replica, is replaced', async () => {
	const carrier = postgresTransport()
	const hears = listener()
	const stop = await new Bus(carrier).open('things', hears)
	// PostgreSQL accepts no empty name.
	await expect(
		carrier.listen(
			'',
			() => {},
			() => {},
		),
	).rejects.toThrow()
	await eventually(() => expect(hears.onBack).toHaveBeenCalled())
	await eventually(async () => {
		await new Bus(postgresTransport()).publish('things', 'after')
		expect(hears.onMessage).toHaveBeenCalledWith('after')
	})
	await stop()
})

test('two sites on one Redis do not receive each other’s messages', { skip: !hasRedis }, async () => {
	const hears = listener()
	const stop = await new Bus(redisTransport(redis.url, 'https://one.example')).open('things', hears)
	const [one, other] = ['one', 'other'].map((name) => new Bus(redisTransport(redis.url, `https://${name}.example`)))
	await eventually(() => other?.publish('things', 'not for you'))
	await one?.publish('things', 'for you')
	await eventually(() => expect(hears.onMessage.mock.calls).toEqual([['for you']]))
	await stop()
})

function placeOf({ url }: TestRedis) {
	return { host: '127.0.0.1', port: Number(new URL(url).port) }
}

/** A process that reaches Redis through a proxy, and has received a message. */
async function openThroughProxy(to: TestRedis) {
	const proxy = new NetworkProxy(placeOf(to))
	await proxy.open()
	onTestFinished(() => proxy.stop())
	// The shared connection of the tests before leads past the proxy.
	closeRedis()
	onTestFinished(closeRedis)
	const carrier = redisTransport(`redis://127.0.0.1:${proxy.port}`, 'https://quad.example')
	const hears = listener()
	const stop = await new Bus(carrier).open('things', hears)
	const sender = new Bus(carrier)
	await eventually(() => sender.publish('things', 'before'))
	await eventually(() => expect(hears.onMessage).toHaveBeenCalledWith('before'))
	return { proxy, sender, hears, stop }
}

test('connections to Redis that the network has forgotten are replaced, though neither end is told', {
	skip: !hasRedis,
}, async () => {
	const { proxy, sender, hears, stop } = await openThroughProxy(redis)
	proxy.forget()
	await eventually(() => sender.publish('things', 'sent again'), 15_000)
	await eventually(() => expect(hears.onBack).toHaveBeenCalled(), 15_000)
	await sender.publish('things', 'after')
	await eventually(() => expect(hears.onMessage).toHaveBeenCalledWith('after'))
	await stop()
})

test('nodes that stay connected to a Redis that a failover made a replica move to the new one', {
	skip: !hasRedis,
}, async () => {
	const [former, next] = await Promise.all([startRedis(), startRedis()])
	onTestFinished(async () => {
		await Promise.all([former.stop(), next.stop()])
	})
	const [atFormer, atNext] = await Promise.all([connectRedis(former.url), connectRedis(next.url)])
	onTestFinished(() => {
		atFormer.disconnect()
		atNext.disconnect()
	})
	const { proxy, sender, hears, stop } = await openThroughProxy(former)
	// Another node, which the failover has already led to the new one.
	const heardThere: string[] = []
	atNext.on('message', (_channel, text) => heardThere.push(text))
	await atFormer.replicaof('127.0.0.1', placeOf(next).port)
	await atNext.subscribe('https://quad.example things')
	proxy.moveTo(placeOf(next))
	// A replica passes messages on to nobody but its own clients.
	await expect(sender.publish('things', 'lost')).rejects.toThrow('READONLY')
	await eventually(() => expect(hears.onBack).toHaveBeenCalled(), 15_000)
	await eventually(() => sender.publish('things', 'after'))
	await eventually(() => expect(heardThere).toContainEqual(expect.stringMatching(/after$/)))
	await eventually(() => expect(hears.onMessage).toHaveBeenCalledWith('after'))
	await stop()
})

test('a process that failed to send notifies the others later that they missed a message', async () => {
	const carrier = postgresTransport()
	let away = true
	let tries = 0
	const cutOff = new Bus({
		...carrier,
		send: (...said) => {
			tries += 1
			return away ? Promise.reject(new Error('away')) : carrier.send(...said)
		},
	})
	const hears = listener()
	const stop = await new Bus(carrier).open('things', hears)
	await expect(cutOff.publish('things', 'unheard')).rejects.toThrow('away')
	await eventually(() => expect(tries).toBeGreaterThan(2))
	expect(hears.onBack).not.toHaveBeenCalled()
	away = false
	await eventually(() => expect(hears.onBack).toHaveBeenCalledOnce())
	expect([hears.onLost.mock.calls.length, hears.onMessage.mock.calls]).toEqual([1, []])
	await stop()
})

test('a process that serves the site alone publishes no invalidations of pages; before, as in a script, it does', async () => {
	const client = await pool().connect()
	onTestFinished(() => client.release(true))
	const heard: string[] = []
	client.on('notification', ({ payload = '' }) => heard.push(payload.replace(/^.* /, '')))
	await client.query('listen devquad_pages')
	await invalidatePages(['before'])
	const stop = await listenForInvalidations()
	await invalidatePages(['alone'])
	await stop()
	await invalidatePages(['after'])
	await client.query("select pg_notify('devquad_pages', 'the-test 0 end')")
	await expect.poll(() => heard).toEqual(['before', 'after', 'end'])
})

test('a connection that is lost while resubscribing leads to one subscription', async () => {
	const carrier = postgresTransport()
	const hears = listener()
	const stop = await new Bus(carrier).open('things', hears)
	const { query } = pg.Client.prototype
	let hasEnded = false
	const spy = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...said: never[]) {
		const { connection } = this as unknown as { connection: { stream: { destroy: () => void } } }
		const answer = query.apply(this, said as never)
		if (!hasEnded && String(said[0]).startsWith('listen')) {
			hasEnded = true
			connection.stream.destroy()
		}
		return answer
	} as never)
	await carriers[0]?.cut()
	await eventually(() => expect(hears.onBack).toHaveBeenCalled())
	spy.mockRestore()
	const other = listener()
	const stopOther = await new Bus(carrier).open('things', other)
	await new Bus(postgresTransport()).publish('things', 'once')
	await eventually(() => expect(other.onMessage).toHaveBeenCalledWith('once'))
	expect([hasEnded, hears.onLost.mock.calls, hears.onMessage.mock.calls]).toEqual([true, [[]], [['once']]])
	await Promise.all([stop(), stopOther()])
})
