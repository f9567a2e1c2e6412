import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { SignedIn } from '~/lib/viewer.ts'
import { sessionTokenOf, VerifiedCookies } from './verified-cookies.server.ts'

const mira: SignedIn = { id: 7, username: 'mira', name: 'Mira', image: null, role: 'member' }
const inAnHour = 3_600_000

function signed(expiresAt: unknown, version: unknown = '1'): string {
	return Buffer.from(JSON.stringify({ session: { version }, expiresAt, signature: 'x' })).toString('base64url')
}

/** The cookies of one minute in which a header is noted at 0 ms, while the member's version is 1. */
function setUp({ header = `session=a; session_data=${signed(300_000)}`, session = inAnHour, maxEntries = 10 } = {}) {
	let time = 0
	let version = '1'
	const cookies = new VerifiedCookies({ maxEntries, now: () => time, date: () => time })
	cookies.add(header, { ...mira }, new Date(session))
	return {
		cookies,
		header,
		at: (milliseconds: number) => (time = milliseconds),
		change: () => (version = '2'),
		find: (asked = header) => cookies.find(asked, () => version)?.username ?? null,
	}
}

test('the same header always yields the same member, and no other header does', () => {
	const { find, header } = setUp()
	expect([find(), find(), find()]).toEqual(['mira', 'mira', 'mira'])
	expect([find(`${header}; theme=dark`), find(header.slice(1)), find('')]).toEqual([null, null, null])
})

test.each<[string, Parameters<typeof setUp>[0], number, string | null]>([
	['just before a minute is over', {}, 59_999, 'mira'],
	['after a minute', {}, 60_000, null],
	['just before the signed cookie expires', { header: `session=a; session_data=${signed(20_000)}` }, 19_999, 'mira'],
	['once the signed cookie has expired', { header: `session=a; session_data=${signed(20_000)}` }, 20_000, null],
	['once the session has expired', { session: 5_000 }, 5_000, null],
	['behind another cookie', { header: `theme=dark; __Host-session_data=${signed(300_000)}` }, 0, 'mira'],
	['without a signed cookie', { header: 'session=a' }, 0, null],
	['with two signed cookies', { header: `session_data=${signed(300_000)}; session_data=x` }, 0, null],
	['with a signed cookie in parts', { header: `session_data.0=${signed(300_000)}; session_data.1=x` }, 0, null],
	['with one that cannot be read', { header: 'session=a; session_data=%E0%A4%A' }, 0, null],
	[
		'with one that was ended after it was verified',
		{ header: `session=a; session_data=${signed(300_000, '0')}` },
		0,
		null,
	],
	['with one that says no version', { header: `session=a; session_data=${signed(300_000, null)}` }, 0, null],
	['with one that says no time', { header: `session=a; session_data=${signed('soon')}` }, 0, null],
])('%s', (_when, given, time, expected) => {
	const { at, find } = setUp(given)
	at(time)
	expect(find()).toBe(expected)
})

test('a change of the member removes it for good', () => {
	const { change, find, cookies, header } = setUp()
	change()
	expect(find()).toBeNull()
	expect(cookies.find(header, () => '1')).toBeNull()
})

test('beyond the limit the least recently used one is removed', () => {
	const { cookies, find } = setUp({ maxEntries: 2 })
	const other = (name: string) => `session=${name}; session_data=${signed(300_000)}`
	cookies.add(other('b'), { ...mira }, new Date(inAnHour))
	find()
	cookies.add(other('c'), { ...mira }, new Date(inAnHour))
	expect([find(), find(other('b')), find(other('c'))]).toEqual(['mira', null, 'mira'])
})

describe('the token of a session', () => {
	const cookie = { name: 'session', secret: 'only we know it' }
	const sign = (token: string, secret = cookie.secret) =>
		encodeURIComponent(`${token}.${createHmac('sha256', secret).update(token).digest('base64')}`)

	test.each<[string, string, string | null]>([
		['alone', `session=${sign('abc')}`, 'abc'],
		['among others', `theme=dark; session=${sign('abc')}; session_data=x`, 'abc'],
		['with a dot in it', `session=${sign('a.b')}`, 'a.b'],
		['without a signature', 'session=abc', null],
		['with an empty one', 'session=abc.', null],
		['with part of one', `session=${sign('abc').slice(0, 12)}`, null],
		['signed with another secret', `session=${sign('abc', 'they know it')}`, null],
		['with the signature of another token', `session=${sign('abc').replace('abc', 'abd')}`, null],
		['of nothing', `session=${sign('')}`, null],
		['in a cookie of another name', `my_session=${sign('abc')}`, null],
		['twice', `session=${sign('abc')}; session=${sign('abd')}`, null],
		['that cannot be decoded', 'session=%E0%A4%A', null],
		['in a header without cookies', '', null],
	])('%s', (_, header, token) => expect(sessionTokenOf(header, cookie)).toBe(token))
})
