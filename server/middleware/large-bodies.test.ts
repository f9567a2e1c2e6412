import type { HttpBindings } from '@hono/node-server'
import { Hono } from 'hono'
import { expect, test } from 'vitest'
import { limitLargeBodies } from './large-bodies.ts'

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
