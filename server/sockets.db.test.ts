import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Socket } from 'socket.io-client'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { logIn } from '~/features/accounts/login.server.ts'
import { hashPassword } from '~/features/accounts/security/credentials.server.ts'
import { deleteQuestion } from '~/features/asking/asking.server.ts'
import { setBlocked } from '~/features/conversations/conversations.server.ts'
import { deleteComment } from '~/features/discussion/commenting.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { startJobs, stopJobs } from '~/platform/jobs/jobs.server.ts'
import { announce, io } from '~/platform/realtime/io.server.ts'
import { presenceRoom } from '~/platform/realtime/presence.server.ts'
import { makeComment, makeMember, makeQuestion } from '../tests/factories/forum.ts'
import { makeTab } from '../tests/factories/presence.ts'
import { cookiesOf, form, request } from '../tests/support/browser.ts'
import { useDatabase } from '../tests/support/database.ts'
import { closeTabs, openTab, watchPresence } from '../tests/support/tabs.ts'
import { handleSockets, openSockets } from './sockets.ts'

useDatabase()

const password = 'a lantern at the ford'
let server: Server
let letGo: () => Promise<void>
let url: string
let reader: SignedIn
let writer: SignedIn

beforeAll(async () => {
	// Creates the job tables: each login here is from a new device, which queues a mail.
	await startJobs()
	await stopJobs()
	letGo = handleSockets()
	server = createServer()
	openSockets(server)
	await once(server.listen(0, '127.0.0.1'), 'listening')
	url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
	reader = await makeMember('reader')
	writer = await makeMember('writer')
	const account = { user_id: reader.id, account_id: String(reader.id), provider_id: 'credential' }
	await db()
		.insertInto('credentials')
		.values({ ...account, password: await hashPassword(password) })
		.execute()
})

afterEach(closeTabs)

afterAll(async () => {
	await letGo()
	await io.close()
})

test('a tab that shows a query receives its comments and their authors, and those of no other query', async () => {
	const [shown, other] = [await makeQuestion(writer), await makeQuestion(writer)]
	const { tab, heard } = await openReader()
	await show(tab, shown.id)
	await makeComment(writer, other.id)
	const commentId = await makeComment(writer, shown.id)
	await expect.poll(() => heard).toEqual([{ questionId: shown.id, commentId, username: 'writer' }])
})

test('of several questions that a tab watches in quick succession the last counts, and none after it left', async () => {
	const questions = [await makeQuestion(writer), await makeQuestion(writer), await makeQuestion(writer)]
	const { tab, heard } = await openReader()
	for (const { id } of questions) tab.emit('query:watch', id)
	const last = questions[2]?.id ?? 0
	await show(tab, last)
	for (const { id } of questions) await makeComment(writer, id)
	await expect.poll(() => heard.map(({ questionId }) => questionId)).toEqual([last])
	tab.emit('query:watch', null)
	await expect.poll(() => io.sockets.adapter.rooms.has(`query:${last}`)).toBe(false)
})

test('a tab cannot join the room of a deleted query, or of something that is no query', async () => {
	const { id } = await makeQuestion(writer)
	await deleteQuestion(writer, id)
	const open = await makeQuestion(writer)
	const { tab } = await openReader()
	const rooms = () => [...io.sockets.adapter.rooms.keys()].filter((room) => room.startsWith('query:'))
	for (const wrong of [id, -1, 2 ** 31, String(open.id), {}, undefined]) {
		await show(tab, open.id)
		tab.emit('query:watch', wrong)
		await expect.poll(rooms).toEqual([])
		// The request about the question was sent before this one.
		await watchPresence(tab, ['writer'])
		expect(rooms()).toEqual([])
	}
})

test('a tab that opens a query receives what others wrote since its page was loaded, and then each new comment', async () => {
	const { id } = await makeQuestion(writer)
	const known = await makeComment(writer, id)
	const missed = [await makeComment(writer, id), await makeComment(writer, id)]
	await makeComment(reader, id)
	await deleteComment(writer, await makeComment(writer, id))
	const { tab, heard } = await openReader()
	expect(await tab.emitWithAck('query:watch', id, known)).toEqual(missed)
	const next = await makeComment(writer, id)
	await expect.poll(() => heard.map(({ commentId }) => commentId)).toEqual([next])
	expect(await tab.emitWithAck('query:watch', id, 0)).toEqual([known, ...missed, next])
})

test('no comment is lost between the answer and the events, in whatever order they arrive', async () => {
	const { id } = await makeQuestion(writer)
	const { tab, heard } = await openReader()
	const written = Array.from({ length: 12 }, () => makeComment(writer, id))
	await Promise.race(written)
	const answered: number[] = await tab.emitWithAck('query:watch', id, 0)
	const all = (await Promise.all(written)).toSorted((one, other) => one - other)
	const known = () => [...new Set([...answered, ...heard.map(({ commentId }) => commentId)])]
	await expect.poll(() => known().toSorted((one, other) => one - other)).toEqual(all)
})

test('a tab that opens the list of members receives who joined since its page was loaded', async () => {
	const { tab } = await openReader()
	expect(await tab.emitWithAck('members:since', 'writer')).toEqual([])
	await makeMember('later')
	await makeMember('latest')
	expect(await tab.emitWithAck('members:since', 'writer')).toEqual(['later', 'latest'])
	expect(await tab.emitWithAck('members:since', 'later')).toEqual(['latest'])
	expect(await tab.emitWithAck('members:since', 'nobody')).toEqual([])
	for (const wrong of [1, null, {}, []]) tab.emit('members:since', wrong, () => {})
	expect(await tab.emitWithAck('members:since', 'latest')).toEqual([])
})

test('a tab cannot watch a member who blocks its member, neither on request nor when blocked while watching', async () => {
	const ann = await makeMember('ann')
	await setBlocked(writer, 'reader', true)
	for (const { id } of [ann, writer]) await makeTab(id)
	const { tab } = await openReader()
	expect(await watchPresence(tab, ['ann', 'writer'])).toEqual(['ann'])
	const changes: unknown[] = []
	tab.on('presence:changed', (event) => changes.push(event))
	announce(presenceRoom('writer'), 'presence:changed', { username: 'writer', online: true })
	await setBlocked(ann, 'reader', true)
	await expect.poll(() => changes).toEqual([{ username: 'ann', online: false }])
	announce(presenceRoom('ann'), 'presence:changed', { username: 'ann', online: true })
	expect(await watchPresence(tab, ['ann', 'writer'])).toEqual([])
	expect(changes).toHaveLength(1)
	await setBlocked(ann, 'reader', false)
	expect(await watchPresence(tab, ['ann', 'writer'])).toEqual(['ann'])
	await setBlocked(writer, 'reader', false)
})

/** A tab of the reader, and the comments that it receives. */
async function openReader() {
	const cookie = cookiesOf(await logIn(form({ email: 'reader@campus.example', password }), request()))
	const tab = await openTab(url, cookie)
	const heard: { questionId: number; commentId: number; username: string }[] = []
	tab.on('comment:added', (event) => heard.push(event))
	return { tab, heard }
}

/** Makes the tab watch a question, and waits until it is in the room. */
async function show(tab: Socket, id: number): Promise<void> {
	tab.emit('query:watch', id)
	await watchPresence(tab, [])
	await expect.poll(() => io.sockets.adapter.rooms.has(`query:${id}`)).toBe(true)
}
