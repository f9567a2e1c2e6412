import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { deleteMessage, editMessage } from '~/features/chat/messages/changing.server.ts'
import { listChangesSince } from '~/features/chat/messages/reading.server.ts'
import { makeToken } from '~/features/tokens/tokens.server.ts'
import type { TokenScope } from '~/features/tokens/tokens.view.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { startJobs, stopJobs } from '~/platform/jobs/jobs.server.ts'
import { findBrokenFigures, makeConversation, makeMessage, passTime } from '../../../../tests/factories/chat.ts'
import { makeMember } from '../../../../tests/factories/forum.ts'
import { callApi } from '../../../../tests/support/api-calls.ts'
import { useDatabase } from '../../../../tests/support/database.ts'

useDatabase()

const chat: TokenScope[] = ['messages:read', 'messages:write']
const callers = ['mira', 'stranger', 'moderator', 'admin', 'without', 'reader', 'writer', 'visitor', 'ended'] as const
type Caller = (typeof callers)[number]

let mira: SignedIn
let tomas: SignedIn
let stranger: SignedIn
const tokens: Partial<Record<Caller | 'tomas', string>> = {}
let first: number

const tokenOf = async (owner: SignedIn, scopes: TokenScope[]) =>
	(await makeToken(owner, { name: 'test', scopes, days: 7 })).token

beforeAll(async () => {
	await startJobs()
	await stopJobs()
	mira = await makeMember('mira')
	tomas = await makeMember('tomas')
	stranger = await makeMember('stranger')
	const moderator = await makeMember('mod', 'moderator')
	const admin = await makeMember('root', 'admin')
	tokens.mira = await tokenOf(mira, chat)
	tokens.tomas = await tokenOf(tomas, chat)
	tokens.stranger = await tokenOf(stranger, [...chat, 'read', 'write'])
	tokens.moderator = await tokenOf(moderator, [...chat, 'read', 'write', 'moderate'])
	tokens.admin = await tokenOf(admin, [...chat, 'read', 'write', 'moderate'])
	// The scopes that existed before those for messages.
	tokens.without = await tokenOf(mira, ['read', 'write'])
	tokens.reader = await tokenOf(mira, ['messages:read'])
	tokens.writer = await tokenOf(mira, ['messages:write'])
	tokens.ended = `dq_${'x'.repeat(43)}`
	first = (await makeMessage(mira, tomas, 'A secret heliotrope')).id
	await makeMessage(tomas, mira, 'It is safe with me')
	for (const other of [stranger, moderator, admin]) await makeConversation(mira, other)
})

beforeEach(passTime)

const call = (
	method: string,
	path: string,
	caller: Caller | 'tomas',
	body?: unknown,
	headers?: Record<string, string>,
) => {
	const token = tokens[caller]
	return callApi(method, path, {
		...(token && { token }),
		...(body !== undefined && { body }),
		...(headers && { headers }),
	})
}

describe('permissions', () => {
	const peers = (caller: Caller) =>
		['mira', 'without', 'reader', 'writer'].includes(caller) ? ['tomas'] : ['mira', 'tomas']
	/** Every address that reads a conversation; `{id}` is a message of it. */
	const reading = ['', '/messages', '/messages?around={id}', '/changes?since=0', '/messages/{id}']
	const expected = (caller: Caller, own: boolean): number[] => {
		if (caller === 'visitor' || caller === 'ended') return [401]
		if (caller === 'without' || caller === 'writer') return [403]
		if (caller === 'mira' || caller === 'reader') return [200]
		// Somebody else has a conversation with Mira, but not with this message, and none with Tomas.
		return own ? [200, 404] : [404]
	}

	test.each(reading.flatMap((path) => callers.map((caller) => [path, caller] as const)))(
		'read …%s: %s',
		async (path, caller) => {
			for (const peer of peers(caller)) {
				const address = `/me/conversations/${peer}${path.replace('{id}', String(first))}`
				const answer = await call('GET', address, caller)
				const text = await answer.text()
				const own = peer === 'mira' || path === '' || path.startsWith('/changes')
				expect(expected(caller, own)).toContain(answer.status)
				expect(/heliotrope|is safe/.test(text)).toBe(answer.status === 200 && ['mira', 'reader'].includes(caller))
				expect(answer.headers.get('Cache-Control')).toContain('private')
			}
		},
	)

	test.each(['/me/conversations', '/me/messages?q=heliotrope', '/me/messages?q=heliotrpoe'])(
		'read %s',
		async (path) => {
			for (const caller of callers) {
				const answer = await call('GET', path, caller)
				expect([caller, answer.status]).toEqual([caller, expected(caller, true)[0]])
				const shown = /secret|is safe/.test(await answer.text())
				expect([caller, shown]).toEqual([caller, caller === 'mira' || caller === 'reader'])
			}
		},
	)

	const writing: [string, string, unknown?][] = [
		['POST', '/me/conversations/{peer}/messages/{id}/reports', { words: 'no' }],
		['PATCH', '/me/conversations/{peer}/messages/{id}', { body: 'changed' }],
		['DELETE', '/me/conversations/{peer}/messages/{id}'],
		['PUT', '/me/conversations/{peer}/read', { upTo: '{id}' }],
	]
	const others = callers.filter((caller) => !['mira', 'writer'].includes(caller))
	test.each(writing.flatMap((write) => others.map((caller) => [write[0], write[1], caller, write[2]] as const)))(
		'%s %s: not %s',
		async (method, path, caller, body) => {
			const before = await listChangesSince(mira, 'tomas', 0)
			for (const peer of peers(caller)) {
				const address = path.replace('{peer}', peer).replace('{id}', String(first))
				const sent = body && JSON.parse(JSON.stringify(body).replace('"{id}"', String(first)))
				const answer = await call(method, address, caller, sent)
				expect(answer.status).toBe({ visitor: 401, ended: 401, without: 403, reader: 403 }[String(caller)] ?? 404)
			}
			expect(await listChangesSince(mira, 'tomas', 0)).toEqual(before)
		},
	)

	test('a token with only the write scope can send, and read nothing else', async () => {
		const sent = await call('POST', '/me/conversations/tomas/messages', 'writer', { body: 'from a script' })
		expect(sent.status).toBe(201)
		expect((await call('GET', sent.headers.get('Location')?.replace('/api/v1', '') ?? '', 'writer')).status).toBe(403)
		expect((await call('GET', '/me', 'writer')).status).toBe(403)
		expect((await call('GET', '/me/notifications', 'reader')).status).toBe(403)
	})
})

describe('sending', () => {
	const send = (body: unknown, key?: string, to = 'tomas') =>
		call('POST', `/me/conversations/${to}/messages`, 'mira', body, key === undefined ? {} : { 'Idempotency-Key': key })
	const told = async (answer: Response) =>
		(await answer.json()) as { id: number; body: string; with: string; detail?: string }

	test.each([
		['a key of any kind', 'order/17'],
		['a key that is an id', '0b9f2d7c-5a4e-4c3e-9a1d-2f6b8c7d9e01'],
	])('with %s, a message that is sent many times concurrently is stored once', async (_what, key) => {
		const answers = await Promise.all(Array.from({ length: 6 }, () => send({ body: `Once, ${key}` }, key)))
		expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(201))
		expect(new Set(await Promise.all(answers.map(async (one) => (await told(one)).id))).size).toBe(1)
		const { messages } = await listChangesSince(tomas, 'mira', 0)
		expect(messages.filter(({ body }) => body === `Once, ${key}`)).toHaveLength(1)
		expect(await findBrokenFigures()).toEqual([])
	})

	test('a retry returns the present message; the same key with another text or member is refused', async () => {
		const { id } = await told(await send({ body: 'Original' }, 'key-1'))
		const other = await send({ body: 'Another text' }, 'key-1')
		expect([other.status, (await told(other)).detail]).toEqual([422, expect.stringContaining('new key')])
		expect((await send({ body: 'Original' }, 'key-1', 'stranger')).status).toBe(409)
		await editMessage(mira, { with: 'tomas', id }, { body: 'Corrected' })
		expect(await told(await send({ body: 'Original' }, 'key-1'))).toMatchObject({ id, body: 'Corrected' })
		await deleteMessage(mira, { with: 'tomas', id })
		expect(await told(await send({ body: 'Original' }, 'key-1'))).toMatchObject({ id, body: '', deleted: true })
	})

	test.each<[string, unknown, string | undefined, number]>([
		['no text', { body: '  ' }, undefined, 422],
		['too much text', { body: 'x'.repeat(4_001) }, undefined, 422],
		['an unknown field', { body: 'x', to: 'tomas' }, undefined, 422],
		['an id that is none', { body: 'x', clientId: 'mine' }, undefined, 422],
		['a key with a space', { body: 'x' }, 'two words', 422],
		['a key that is too long', { body: 'x' }, 'k'.repeat(101), 422],
	])('is refused with %s', async (_what, body, key, status) => {
		const before = await listChangesSince(mira, 'tomas', 0)
		expect((await send(body, key)).status).toBe(status)
		expect(await listChangesSince(mira, 'tomas', 0)).toEqual(before)
	})

	test.each(['nobody', 'mira', '%00', 'TOMAS!'])('there is no recipient at %s', async (to) => {
		expect((await send({ body: 'x' }, undefined, to)).status).toBe(404)
	})
})

test('a conversation is paged in both directions, from its end and from any message', async () => {
	const ids: number[] = []
	for (let sent = 0; sent < 24; sent += 1) ids.push((await makeMessage(stranger, mira, `line ${sent}`)).id)
	interface Page {
		rows: { id: number }[]
		next: string | null
		previous: string | null
	}
	const page = async (query: string) =>
		(await (await call('GET', `/me/conversations/stranger/messages?limit=5${query}`, 'mira')).json()) as Page
	const all = async (start: string, way: 'next' | 'previous') => {
		const rows: number[] = []
		for (let at = await page(start); ; at = await page(`&cursor=${at[way]}`)) {
			const found = at.rows.map(({ id }) => id)
			if (way === 'next') rows.push(...found)
			else rows.unshift(...found)
			if (at[way] === null) return rows
		}
	}
	const newestFirst = [...ids].reverse()
	expect((await all('', 'next')).slice(0, 24)).toEqual(newestFirst)
	expect((await page('')).previous).toBeNull()
	const middle = `&around=${ids[12]}`
	expect((await page(middle)).rows.map(({ id }) => id)).toEqual(ids.slice(9, 16).reverse())
	expect((await all(middle, 'previous')).at(0)).toBe(ids.at(-1))
	expect(await all(middle, 'previous')).toEqual(ids.slice(9).reverse())
	for (const wrong of ['&cursor=x', '&cursor=WyJhd2F5IiwxXQ', '&around=0', '&limit=51'])
		expect((await call('GET', `/me/conversations/stranger/messages?limit=5${wrong}`, 'mira')).status).toBe(422)
})

test('the response of a write matches what it did, and changes are reported by version', async () => {
	const open = async () =>
		(await (await call('GET', '/me/conversations/mira', 'tomas')).json()) as {
			conversationVersion: number
			state: object
			readId: number
		}
	const { conversationVersion } = await open()
	const { id } = await makeMessage(mira, tomas, 'Read me')
	await call('PUT', '/me/conversations/mira/muted', 'tomas')
	await call('PUT', '/me/conversations/mira/read', 'tomas', { upTo: id })
	expect(await open()).toMatchObject({ readId: id, state: { muted: true, blockedByMe: false } })
	await call('PUT', '/me/blocks/mira', 'tomas')
	expect(await open()).toMatchObject({ state: { blockedByMe: true, kind: 'closed' } })
	expect((await call('POST', '/me/conversations/mira/messages', 'tomas', { body: 'x' })).status).toBe(403)
	await call('DELETE', '/me/blocks/mira', 'tomas')
	await call('DELETE', '/me/conversations/mira/muted', 'tomas')
	expect(await open()).toMatchObject({ state: { muted: false, blockedByMe: false, kind: 'open' } })
	const changes = await call('GET', `/me/conversations/mira/changes?since=${conversationVersion}`, 'tomas')
	expect(await changes.json()).toMatchObject({
		rows: [{ id, with: 'mira', sender: 'mira', body: 'Read me' }],
		conversationVersion: conversationVersion + 1,
		complete: true,
	})
})
