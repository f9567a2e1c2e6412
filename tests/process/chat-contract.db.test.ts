import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { ChatMessage } from '~/features/chat/chat.view.ts'
import type { Transport } from '~/features/chat/client/transport.ts'
import { makeMessage, passTime } from '../factories/chat.ts'
import { SiteTransport } from '../support/chat-members.ts'
import { Browser, ChatServer, Tab } from '../support/chat-network.ts'
import { useDatabase } from '../support/database.ts'
import { logInMember, type MembersSite, requestPage, startOnTestDatabase } from '../support/members-site.ts'
import { closeTabs, openTab } from '../support/tabs.ts'

/*
 * A contract test: the same cases run against the fake server of the chat client's unit tests and against the real one, so that the fake
 * cannot diverge.
 */

useDatabase()

let site: MembersSite

beforeAll(async () => {
	site = await startOnTestDatabase()
})

afterEach(closeTabs)
afterAll(() => site?.stop())

interface Side {
	name: string
	transport: Transport
	/** Live messages in order of arrival. */
	heard: ChatMessage[]
}

/** Two members who have both written. */
interface Pair {
	one: Side
	other: Side
	/** Lets the first member send messages, without the rate limit. */
	writeMany: (count: number) => Promise<void>
	/** Edits a message of the first member; '' deletes it. */
	change: (id: number, body: string) => Promise<void>
}

class ListeningTab extends Tab {
	readonly heard: ChatMessage[] = []

	override receive(message: ChatMessage): void {
		this.heard.push(message)
	}
}

async function meetAtSmallServer(): Promise<Pair> {
	const server = new ChatServer()
	const sideOf = (name: string): Side => {
		const tab = new ListeningTab(server, new Browser(name))
		tab.connect()
		return { name, transport: tab, heard: tab.heard }
	}
	server.send('anna', randomUUID(), 'Hello')
	server.send('bert', randomUUID(), 'Hello yourself')
	return {
		one: sideOf('anna'),
		other: sideOf('bert'),
		writeMany: async (count) => {
			for (let index = 0; index < count; index += 1) server.send('anna', randomUUID(), `Line ${index}`)
		},
		change: async (id, body) => server.change(id, { body, deleted: body === '' }),
	}
}

let pairs = 0

async function meetAtSite(): Promise<Pair> {
	pairs += 1
	const [anna, bert] = [await logInMember(site, `anna-${pairs}`), await logInMember(site, `bert-${pairs}`)]
	await makeMessage(anna.member, bert.member, 'Hello')
	await makeMessage(bert.member, anna.member, 'Hello yourself')
	const sideOf = async (me: typeof anna, peer: typeof anna): Promise<Side> => {
		const [from, to] = [me.member.username, peer.member.username]
		const transport = new SiteTransport({ url: site.url, cookie: me.cookie, from, to }, () => {})
		const heard: ChatMessage[] = []
		const socket = await openTab(site.url, me.cookie)
		socket.on('chat:message', ({ message }: { message: ChatMessage }) => heard.push(message))
		transport.socket = socket
		return { name: from, transport, heard }
	}
	return {
		one: await sideOf(anna, bert),
		other: await sideOf(bert, anna),
		writeMany: async (count) => {
			for (let index = 0; index < count; index += 1) {
				// The rate limit.
				if (index % 10 === 0) await passTime()
				await makeMessage(anna.member, bert.member, `Line ${index}`)
			}
			await passTime()
		},
		change: async (id, body) => {
			const form = { intent: body === '' ? 'delete' : 'edit', id: String(id), body }
			expect((await requestPage(site.url, `/messages/${bert.member.username}`, anna.cookie, form)).status).toBe(303)
		},
	}
}

describe.each([
	['the small server', meetAtSmallServer],
	['the real server', meetAtSite],
])('%s', (_which, meet) => {
	test('stores a message once on retries, and notifies both members', async () => {
		const { one, other } = await meet()
		const sending = { to: other.name, clientId: randomUUID(), body: 'How are you?', pictures: [] }
		const answers = [await one.transport.send(sending), await one.transport.send(sending)]
		const page = await other.transport.page(one.name)
		expect(bodies(page.messages)).toEqual(['Hello', 'Hello yourself', 'How are you?'])
		const last = page.messages.at(-1)
		expect(last).toMatchObject({ sender: one.name, clientId: sending.clientId, deleted: false, version: page.version })
		for (const answer of answers)
			expect(answer).toMatchObject({ ok: true, message: { id: last?.id, version: last?.version } })
		for (const side of [one, other])
			await expect.poll(() => side.heard.map(({ clientId }) => clientId)).toContain(sending.clientId)
		expect(page).toMatchObject({ older: false, state: { kind: 'open', reason: null, blockedByMe: false } })
	})

	test('gives each change a version, and lists the changes since one', async () => {
		const { one, other, writeMany, change } = await meet()
		await writeMany(3)
		const { messages, version } = await one.transport.page(other.name)
		expect(await one.transport.since(other.name, version)).toMatchObject({
			messages: [],
			version,
			complete: true,
			peer: other.name,
		})
		const [first, second] = messages.slice(2)
		await change(second?.id ?? 0, 'Better')
		await change(first?.id ?? 0, '')
		const since = await other.transport.since(one.name, version)
		expect(since).toMatchObject({ version: version + 2, complete: true })
		// In the order of changes, not of messages; a deleted message keeps its place without its text.
		expect(since.messages.map(({ id, body, deleted, version: of }) => [id, body, deleted, of - version])).toEqual([
			[second?.id, 'Better', false, 1],
			[first?.id, '', true, 2],
		])
		const again = await one.transport.page(other.name)
		expect(again.messages.map(({ id }) => id)).toEqual(messages.map(({ id }) => id))
		await expect
			.poll(() => other.heard.filter(({ version: of }) => of > version).map(({ id }) => id))
			.toEqual([second?.id, first?.id])
	})

	test('pages a conversation in both directions without gaps or duplicates', async () => {
		const { one, other, writeMany } = await meet()
		await writeMany(118)
		const newest = await one.transport.page(other.name)
		const middle = await one.transport.before(other.name, newest.messages[0]?.id ?? 0)
		const oldest = await one.transport.before(other.name, middle.messages[0]?.id ?? 0)
		expect([newest, middle, oldest].map(({ messages, older }) => [messages.length, older])).toEqual([
			[50, true],
			[50, true],
			[20, false],
		])
		const all = [...oldest.messages, ...middle.messages, ...newest.messages]
		expect(bodies(all)).toEqual([
			'Hello',
			'Hello yourself',
			...Array.from({ length: 118 }, (_, index) => `Line ${index}`),
		])
		const next = await one.transport.after(other.name, oldest.messages.at(-1)?.id ?? 0)
		expect(next).toMatchObject({ older: true, newer: true })
		expect(bodies(next.messages)).toEqual(bodies(middle.messages))
		const rest = await one.transport.after(other.name, middle.messages.at(-1)?.id ?? 0)
		expect(rest).toMatchObject({ newer: false })
		expect(bodies(rest.messages)).toEqual(bodies(newest.messages))
	})

	test('lists many changes in batches, oldest first, and says if there are more', async () => {
		const { one, other, writeMany } = await meet()
		const { version } = await one.transport.page(other.name)
		await writeMany(230)
		const portion = await one.transport.since(other.name, version)
		expect(portion).toMatchObject({ complete: false })
		const rest = await one.transport.since(other.name, portion.messages.at(-1)?.version ?? 0)
		expect(rest).toMatchObject({ complete: true, version: version + 230 })
		const told = [...portion.messages, ...rest.messages].map((message) => message.version - version)
		expect(told).toEqual(Array.from({ length: 230 }, (_, index) => index + 1))
		expect(portion.messages).toHaveLength(200)
	})
})

function bodies(messages: readonly ChatMessage[]): string[] {
	return messages.map(({ body }) => body)
}
