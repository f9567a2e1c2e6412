import { expect, test } from 'vitest'
import { deviceOf } from '~/features/sessions/devices.server.ts'
import { TooManyRequests } from '~/lib/errors.ts'
import { networkOf } from '~/lib/networks.server.ts'
import { usernameCandidates } from './registration/names.server.ts'
import { hashPassword, requireHashCapacity, verifyPassword } from './security/credentials.server.ts'

test('a password is compared in normal form, however its accents were typed; any other text differs', async () => {
	const stored = await hashPassword('Zoe\u0308 am Fluss')
	expect(await verifyPassword(stored, 'Zo\u00eb am Fluss')).toBe(true)
	expect(await verifyPassword(stored, 'Zo\u00eb am Fluss ')).toBe(false)
	expect(await verifyPassword('no hash', 'Zo\u00eb am Fluss')).toBe(false)
})

test('of many concurrent hashes some run, some are queued, and more are refused', async () => {
	requireHashCapacity()
	const work = Array.from({ length: 140 }, () => hashPassword('a lantern at the ford'))
	expect(() => requireHashCapacity()).toThrow(TooManyRequests)
	await Promise.all(work)
	requireHashCapacity()
})

test.each([
	['203.0.113.9', '203.0.113.9'],
	['::ffff:203.0.113.9', '203.0.113.9'],
	['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
	['2001:0DB8:1:2::9', '2001:db8:1:2::/64'],
	['2001:db8::7', '2001:db8:0:0::/64'],
	['fe80::1%eth0', 'fe80:0:0:0::/64'],
	['::1', '0:0:0:0::/64'],
	['unknown', 'unknown'],
])('%s is counted as %s', (address, holder) => {
	expect(networkOf(address)).toBe(holder)
})

test.each([
	[
		'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0',
		'Edge on Windows',
	],
	[
		'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 Chrome/140.0.0.0 Mobile Safari/537.36',
		'Chrome on Android',
	],
	['Mozilla/5.0 (iPad; CPU OS 19_0 like Mac OS X) AppleWebKit/605.1 Version/19.0 Mobile Safari/604.1', 'Safari on iOS'],
	[
		'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1 FxiOS/140.0 Mobile/15E148 Safari/605.1',
		'Firefox on iOS',
	],
	['curl/8.14', 'A browser on an unknown system'],
	['', 'A browser on an unknown system'],
])('the agent %j is %s', (agent, device) => {
	expect(deviceOf(agent)).toBe(device)
})

test('candidates are never reserved names, and the thousandth is found in few attempts', () => {
	expect(usernameCandidates('20').take(3).toArray()).not.toContain('200')
	const numbers = usernameCandidates('info').take(60).toArray()
	expect(new Set(numbers).size).toBe(60)
	expect(Number(numbers.at(-1)?.slice(4))).toBeGreaterThan(1_000)
})
