import type { HttpBindings } from '@hono/node-server'
import { Hono } from 'hono'
import { expect, test } from 'vitest'
import { isSiteFault } from '~/lib/errors.ts'
import { eventually } from '../../tests/support/eventually.ts'
import { fairQueue } from './fair-queue.ts'

/** A site whose pages end on demand; each request carries its address. */
function busySite(limits: { maxAtOnce: number; maxWaiting: number; maxWaitMs: number }) {
	const begun: string[] = []
	const ends: (() => void)[] = []
	const app = new Hono<{ Bindings: HttpBindings }>()
	app.use(fairQueue((request) => request.headers.get('From') ?? '', limits))
	app.all('*', async (context) => {
		begun.push(context.req.path)
		await new Promise<void>((resolve) => ends.push(resolve))
		return context.text('done')
	})
	app.onError((error, context) => context.text(error.message, isSiteFault(error) ? 503 : 500))
	const ask = async (address: string, path: string, { method = 'GET', outgoing = { destroyed: false } } = {}) =>
		app.request(path, { method, headers: { From: address } }, { outgoing } as unknown as HttpBindings)
	/** Ends requests in flight until none is left. */
	const endAll = async (answers: Promise<Response>[]) => {
		let left = answers.length
		for (const answer of answers) void answer.finally(() => (left -= 1))
		while (left > 0) {
			ends.shift()?.()
			await new Promise(setImmediate)
		}
		return Promise.all(answers.map(async (answer) => (await answer).status))
	}
	return { ask, begun, endAll }
}

test('an address with one request does not wait for all those of another one', async () => {
	const { ask, begun, endAll } = busySite({ maxAtOnce: 2, maxWaiting: 100, maxWaitMs: 30_000 })
	const many = Array.from({ length: 20 }, (_, index) => ask('192.0.2.1', `/many/${index}`))
	const others = [ask('192.0.2.2', '/second'), ask('192.0.2.3', '/third')]
	expect(await endAll([...many, ...others])).toEqual(Array(22).fill(200))
	expect(begun.slice(0, 6)).toEqual(['/many/0', '/many/1', '/many/2', '/second', '/third', '/many/3'])
	expect(begun).toHaveLength(22)
})

test('the addresses of one network of IPv6 wait as one', async () => {
	const { ask, begun, endAll } = busySite({ maxAtOnce: 1, maxWaiting: 100, maxWaitMs: 30_000 })
	const many = Array.from({ length: 5 }, (_, index) => ask(`2001:db8::${index}`, `/many/${index}`))
	expect(await endAll([...many, ask('2001:db8:0:1::1', '/other')])).toEqual(Array(6).fill(200))
	expect(begun.slice(0, 3)).toEqual(['/many/0', '/many/1', '/other'])
})

test('a request that waits too long, or meets a full queue, is refused; no turn is lost by that', async () => {
	const { ask, begun, endAll } = busySite({ maxAtOnce: 1, maxWaiting: 2, maxWaitMs: 20 })
	const first = ask('192.0.2.1', '/first')
	const waiting = [ask('192.0.2.1', '/late'), ask('192.0.2.1', '/later')]
	expect((await ask('192.0.2.1', '/too-many')).status).toBe(503)
	expect(await Promise.all(waiting.map(async (answer) => (await answer).status))).toEqual([503, 503])
	expect(await (await ask('192.0.2.9', '/other')).text()).toContain('Please try again in a few seconds.')
	expect(await endAll([first])).toEqual([200])
	expect(await endAll([ask('192.0.2.1', '/next')])).toEqual([200])
	expect(begun).toEqual(['/first', '/next'])
})

test('a disconnected client is skipped', async () => {
	const { ask, begun, endAll } = busySite({ maxAtOnce: 1, maxWaiting: 10, maxWaitMs: 30_000 })
	const outgoing = { destroyed: false }
	const answers = [ask('192.0.2.1', '/first'), ask('192.0.2.1', '/gone', { outgoing }), ask('192.0.2.1', '/last')]
	outgoing.destroyed = true
	expect(await endAll(answers)).toEqual([200, 503, 200])
	expect(begun).toEqual(['/first', '/last'])
})

test.each([
	['POST', '/forum/ask'],
	['GET', '/media/picture'],
])('%s %s does not wait', async (method, path) => {
	const { ask, begun, endAll } = busySite({ maxAtOnce: 1, maxWaiting: 10, maxWaitMs: 30_000 })
	const answers = [ask('192.0.2.1', '/first'), ask('192.0.2.1', path, { method })]
	await eventually(() => expect(begun.toSorted()).toEqual(['/first', path]))
	expect(await endAll(answers)).toEqual([200, 200])
})
