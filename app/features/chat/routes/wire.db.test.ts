import { randomUUID } from 'node:crypto'
import { RouterContextProvider } from 'react-router'
import { beforeEach, expect, test } from 'vitest'
import { viewerContext } from '~/lib/context.ts'
import type { SignedIn, Viewer } from '~/lib/viewer.ts'
import { makeConversation, makeMessage } from '../../../../tests/factories/chat.ts'
import { makeMember } from '../../../../tests/factories/forum.ts'
import { useDatabase } from '../../../../tests/support/database.ts'
import { openConversation } from '../messages/reading.server.ts'
import { action } from './wire.ts'

useDatabase()

let serial = 0
let mira: SignedIn
let tomas: SignedIn

beforeEach(async () => {
	serial += 1
	mira = await makeMember(`mira${serial}`)
	tomas = await makeMember(`tomas${serial}`)
	await makeConversation(mira, tomas)
})

/** The response at the address of the conversation with Tomas. */
async function say(viewer: Viewer, words: unknown): Promise<{ status: number; said: unknown }> {
	const context = new RouterContextProvider()
	context.set(viewerContext, viewer)
	const body = typeof words === 'string' ? words : JSON.stringify(words)
	const request = new Request('http://campus.example/', { method: 'POST', body })
	const answer = await action({ request, params: { username: tomas.username }, context } as never)
	return { status: answer.status, said: await answer.json() }
}

const bodies = async () => (await openConversation(mira, tomas.username)).messages.slice(2).map(({ body }) => body)

test('a message gets the same response as by the socket, and is stored once however often it is sent', async () => {
	const message = { me: mira.username, clientId: randomUUID(), body: 'By hand' }
	const [first, again] = [await say(mira, message), await say(mira, message)]
	expect(first.said).toMatchObject({ ok: true, message: { sender: mira.username, body: 'By hand' } })
	expect(again).toEqual(first)
	expect(await bodies()).toEqual(['By hand'])
})

test('read receipts are stored', async () => {
	const { id } = await makeMessage(tomas, mira)
	expect(await say(mira, { me: mira.username, upTo: id, read: true })).toEqual({ status: 200, said: { ok: true } })
	expect((await openConversation(tomas, mira.username)).receipts.read).toBe(id)
})

test('nothing is sent in the name of a member who has logged in since, nor for a visitor', async () => {
	const message = { me: mira.username, clientId: randomUUID(), body: 'Whose words?' }
	const other = await makeMember(`other${serial}`)
	expect(await say(other, message)).toMatchObject({ status: 403 })
	expect(await say(null, message)).toMatchObject({ status: 401 })
	expect((await openConversation(other, tomas.username)).messages).toEqual([])
	expect(await bodies()).toEqual([])
})

test.each<[string, (me: string) => unknown, object]>([
	['something else than JSON', () => 'hello', { status: 403 }],
	['nothing', () => null, { status: 403 }],
	['no message', (me) => ({ me }), { said: { ok: false, retry: false } }],
	['a blank one', (me) => ({ me, clientId: randomUUID(), body: ' ' }), { said: { ok: false, retry: false } }],
	['one to somebody else', (me) => ({ me, to: 'nobody', clientId: 'x', body: 'x' }), { said: { ok: false } }],
	['what was seen, misspelt', (me) => ({ me, upTo: 'x', read: 1 }), { said: { ok: true } }],
])('%s stores nothing', async (_what, words, answer) => {
	expect(await say(mira, words(mira.username))).toMatchObject(answer)
	expect(await bodies()).toEqual([])
})
