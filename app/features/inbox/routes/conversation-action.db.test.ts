import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import { openConversation } from '~/features/chat/messages/reading.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { makeConversation, makeMessage } from '../../../../tests/factories/chat.ts'
import { makeMember } from '../../../../tests/factories/forum.ts'
import { form } from '../../../../tests/support/browser.ts'
import { useDatabase } from '../../../../tests/support/database.ts'
import { handleConversationAction } from './conversation-action.server.ts'

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

test('a double click sends once, redirects to the newest message, and marks it as read', async () => {
	const last = await makeMessage(tomas, mira)
	const fields = { intent: 'send', clientId: randomUUID(), body: 'Hello', upTo: String(last.id) }
	for (const _press of [1, 2]) {
		const answer = await plain(fields)
		expect([answer.status, answer.headers.get('Location')]).toEqual([303, `/messages/${tomas.username}#newest`])
	}
	expect((await openConversation(tomas, mira.username)).messages).toHaveLength(4)
	expect((await openConversation(tomas, mira.username)).receipts.read).toBe(last.id)
})

test('a script gets the present message', async () => {
	const { id } = await makeMessage(mira, tomas, 'first')
	const send = { intent: 'send', clientId: randomUUID(), body: 'Hello' }
	expect(await scripted(send)).toMatchObject({
		data: { ok: true, message: { body: 'Hello', clientId: send.clientId } },
	})
	const edit = { intent: 'edit', id: String(id), body: 'second' }
	expect(await scripted(edit)).toMatchObject({ data: { ok: true, message: { id, body: 'second' } } })
	const erase = { intent: 'delete', id: String(id) }
	expect(await scripted(erase)).toMatchObject({ data: { ok: true, message: { id, deleted: true } } })
	expect(await scripted({ intent: 'mute' })).toMatchObject({ data: { ok: true, message: null } })
})

test.each<[Record<string, string>, number]>([
	[{ intent: 'send', body: 'x'.repeat(4_001), clientId: randomUUID() }, 422],
	[{ intent: 'send', body: 'kept', clientId: 'x' }, 422],
	[{ intent: 'edit', id: '999999', body: 'kept' }, 404],
	[{ intent: 'delete', id: '' }, 404],
	[{ intent: 'nonsense' }, 422],
	[{ body: 'no intent' }, 422],
])('a refusal of %o shows the reason and keeps what was typed', async (fields, status) => {
	for (const answer of [await scripted(fields), await refusedPlainly(fields)]) {
		expect(answer).toMatchObject({ data: { ok: false, message: expect.any(String), values: fields }, init: { status } })
	}
})

test.each([
	['block', { blockedByMe: true }],
	['unblock', { blockedByMe: false }],
	['mute', { muted: true }],
	['unmute', { muted: false }],
	['accept', { kind: 'open' }],
	['seen', { kind: 'open' }],
])('the form “%s” redirects to the conversation with a message', async (intent, state) => {
	const answer = await plain({ intent, upTo: '1' })
	expect([answer.status, answer.headers.get('Location')]).toEqual([303, `/messages/${tomas.username}`])
	expect(answer.headers.get('Set-Cookie')).toContain('flash=')
	expect((await openConversation(mira, tomas.username)).state).toMatchObject(state)
})

function answer(fields: Record<string, string>, scripted: boolean) {
	return handleConversationAction({ viewer: mira, username: tomas.username, form: form(fields), scripted })
}

function scripted(fields: Record<string, string>) {
	return answer(fields, true)
}

function refusedPlainly(fields: Record<string, string>) {
	return answer(fields, false)
}

async function plain(fields: Record<string, string>): Promise<Response> {
	const made = await answer(fields, false)
	if (!(made instanceof Response)) throw new Error('The form was refused.')
	return made
}
