import { expect, test } from 'vitest'
import { isAllowedDomain, usernameCandidates, usernameFrom } from './names.server.ts'

test.each([
	['mira@eastmere.example', 'mira'],
	['Mira.Quillon@eastmere.example', 'mira.quillon'],
	['m+tag@eastmere.example', 'm-tag'],
	['josé@eastmere.example', 'jose'],
	['..@eastmere.example', 'member'],
	["o'hara_1@eastmere.example", 'o-hara_1'],
	[`${'x'.repeat(64)}@eastmere.example`, 'x'.repeat(40)],
])('%s asks for the username %s', (email, username) => {
	expect(usernameFrom(email)).toBe(username)
})

test('a taken name gets a number, and a reserved one is never used', () => {
	const first = (wanted: string) => usernameCandidates(wanted).take(3).toArray()
	expect(first('tara')).toEqual(['tara', 'tara2', 'tara3'])
	expect(first('admin')).toEqual(['admin2', 'admin3', 'admin4'])
	expect(first('mira.json')).toEqual(['mira.json2', 'mira.json3', 'mira.json4'])
	expect(first('mira.data')).toEqual(['mira.data2', 'mira.data3', 'mira.data4'])
})

test.each([
	['a@eastmere.example', true],
	['a@cs.eastmere.example', true],
	['a@EASTMERE.EXAMPLE', true],
	['a@noteastmere.example', false],
	['a@eastmere.example.evil.example', false],
	['a@eastmere.example@evil.example', false],
])('with eastmere.example allowed, %s may register: %s', (email, allowed) => {
	expect(isAllowedDomain(email, ['eastmere.example'])).toBe(allowed)
})
