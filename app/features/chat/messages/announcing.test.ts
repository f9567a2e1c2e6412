import { expect, test } from 'vitest'
import { eventually } from '../../../../tests/support/eventually.ts'
import { announceReliably } from './announcing.server.ts'

test('a change that cannot be announced during an outage is stored, and announced afterwards', async () => {
	let away = true
	let told = 0
	await announceReliably(async () => {
		if (away) throw new Error('the database is away')
		told += 1
	})
	expect(told).toBe(0)
	away = false
	await eventually(() => expect(told).toBe(1))
})
