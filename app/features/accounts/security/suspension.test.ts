import { describe, expect, test } from 'vitest'
import { readOnlyMessage } from './suspension.server.ts'

describe('a suspension', () => {
	const now = Date.parse('2026-11-21T12:00:00Z')
	test.each([
		[null, null],
		['2026-11-21T12:00:00Z', null],
		[
			'2026-11-28T12:05:00Z',
			'You are suspended until 28 Nov 2026 12:05 UTC and cannot post here until then. Reason: Spam.',
		],
		['infinity', 'You are permanently suspended and cannot post here. Reason: Spam.'],
	])('until %s says: %s', (suspendedUntil, message) => {
		expect(readOnlyMessage({ suspendedUntil, suspendedReason: 'Spam.' }, now)).toBe(message)
	})
})
