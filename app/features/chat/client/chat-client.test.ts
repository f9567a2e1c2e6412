import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Browser, ChatServer, chances, open, pair, peerOf, Tab } from '../../../../tests/support/chat-network.ts'
import { TYPING_SHOWN_MS } from './live-conversation.ts'

beforeEach(() => {
	vi.useFakeTimers()
})

afterEach(() => {
	vi.useRealTimers()
})

const view = (tab: Tab) => {
	const known = tab.client.view(peerOf(tab))
	if (!known) throw new Error('the conversation is not open')
	return known
}
const bodies = (tab: Tab) => view(tab).messages.map(({ body }) => body)
const settle = () => vi.advanceTimersByTimeAsync(60_000)

test('white space around a message is not sent, as too much of it would end the connection repeatedly', async () => {
	const { server, anna } = pair()
	anna.client.write('bert', `\n \n  indented${'\n'.repeat(70_000)}`)
	expect(anna.client.outgoing().map(({ body }) => body)).toEqual(['  indented'])
	await settle()
	expect(server.rows.map(({ body }) => body)).toEqual(['  indented'])
})

test('a message is shown as sending at once, and in both views when it is acknowledged', async () => {
	const { anna, bert } = pair()
	expect(anna.client.write('bert', 'Hello')).toBe(true)
	expect(anna.client.outgoing().map(({ body }) => body)).toEqual(['Hello'])
	await settle()
	expect(anna.client.outgoing()).toEqual([])
	expect([bodies(anna), bodies(bert)]).toEqual([['Hello'], ['Hello']])
})

test('a tab that was asleep while the peer was renamed notices that when it is back, and shows nothing as its own', async () => {
	const { server, anna } = pair()
	await settle()
	anna.cut()
	server.renamed.set('bert', 'bertram')
	server.send('bertram', 'b1', 'Under my new name')
	anna.connect()
	await settle()
	expect(anna.renames).toEqual([{ from: 'bert', to: 'bertram' }])
	expect(bodies(anna)).toEqual([])
})

test.each(['', ' ', '\n\t '])('a blank message (%j) is not sent', async (body) => {
	const { server, anna } = pair()
	expect(anna.client.write('bert', body)).toBe(false)
	await settle()
	expect(server.rows).toEqual([])
})

test('messages written without a connection are queued, and sent in order after a reconnection', async () => {
	const { server, anna, bert } = pair()
	anna.cut()
	for (const body of ['1', '2', '3']) anna.client.write('bert', body)
	await settle()
	expect(server.rows).toEqual([])
	expect(anna.client.outgoing()).toHaveLength(3)
	anna.connect()
	await settle()
	expect(bodies(bert)).toEqual(['1', '2', '3'])
	expect(anna.client.outgoing()).toEqual([])
})

test('a tab that opens later sends what an earlier one left unsent', async () => {
	const { server, browsers, anna } = pair()
	anna.cut()
	anna.client.write('bert', 'Left behind')
	const next = open(server, browsers.anna)
	expect(next.client.outgoing()).toHaveLength(1)
	await settle()
	expect(server.rows.map(({ body }) => body)).toEqual(['Left behind'])
	expect(next.client.outgoing()).toEqual([])
})

test('the other tab of a member shows what this one sends, and queues nothing', async () => {
	const { server, browsers, anna } = pair()
	const other = open(server, browsers.anna)
	anna.client.write('bert', 'From the first tab')
	await settle()
	other.client.outboxChanged()
	expect(bodies(other)).toEqual(['From the first tab'])
	expect(other.client.outgoing()).toEqual([])
})

test('messages that a closed tab left unsent are sent by another open tab of the member', async () => {
	const { server, browsers, anna } = pair()
	const other = open(server, browsers.anna)
	other.cut()
	other.client.write('bert', 'Just before closing')
	await settle()
	anna.client.outboxChangedElsewhere()
	await settle()
	expect(server.rows.map(({ body }) => body)).toEqual(['Just before closing'])
	expect(anna.client.outgoing()).toEqual([])
})

test('of two tabs that reconnect at the same time, one sends the queued messages', async () => {
	const { server, browsers, anna } = pair()
	const other = open(server, browsers.anna)
	for (const tab of [anna, other]) {
		tab.weather = { loss: 0, double: 0, delay: 100 }
		tab.cut()
	}
	for (const body of ['1', '2', '3']) anna.client.write('bert', body)
	anna.connect()
	other.connect()
	await settle()
	expect(server.rows.map(({ body }) => body)).toEqual(['1', '2', '3'])
	expect(server.sends).toBe(3)
})

test('a refused message shows the reason, does not block the next one, and can be resent or discarded', async () => {
	const { server, anna } = pair()
	server.refusals.push({ ok: false, message: 'You blocked Bert.', retry: false })
	anna.client.write('bert', 'Refused')
	anna.client.write('bert', 'Accepted')
	await settle()
	const [refused] = anna.client.outgoing()
	expect(refused).toMatchObject({ body: 'Refused', refusal: 'You blocked Bert.' })
	expect(bodies(anna)).toEqual(['Accepted'])
	if (refused) anna.client.retry(refused)
	await settle()
	expect(bodies(anna)).toEqual(['Accepted', 'Refused'])
	server.refusals.push({ ok: false, message: 'No.', retry: false })
	anna.client.write('bert', 'Unwanted')
	await settle()
	for (const message of anna.client.outgoing()) anna.client.discard(message)
	await settle()
	expect(anna.client.outgoing()).toEqual([])
	expect(server.rows).toHaveLength(2)
})

test('a message beyond the rate limit is retried, and those after it wait', async () => {
	const { server, anna } = pair()
	server.refusals.push(
		{ ok: false, message: 'Slow down.', retry: true },
		{ ok: false, message: 'Slower.', retry: true },
	)
	anna.client.write('bert', 'First')
	anna.client.write('bert', 'Second')
	await settle()
	expect(bodies(anna)).toEqual(['First', 'Second'])
})

test('edits and deletions arrive, also of messages that are loaded later', async () => {
	const server = new ChatServer()
	for (let index = 1; index <= 60; index += 1) server.send('bert', `b${index}`, `Message ${index}`)
	const anna = open(server, new Browser('anna'))
	await settle()
	server.change(60, { body: 'Edited', editedAt: 'now' })
	server.change(2, { body: '', deleted: true })
	await settle()
	expect(bodies(anna)).toHaveLength(50)
	expect(bodies(anna).at(-1)).toBe('Edited')
	await anna.client.loadOlder('bert')
	expect(view(anna).messages).toEqual(server.rows)
	expect(view(anna).older).toBe(false)
})

test('a page of older messages that was read before an edit does not restore the old text', async () => {
	const server = new ChatServer()
	for (let index = 1; index <= 60; index += 1) server.send('bert', `b${index}`, `Message ${index}`)
	const anna = open(server, new Browser('anna'))
	await settle()
	const old = structuredClone(server.before(11))
	server.change(3, { body: 'Edited' })
	await settle()
	anna.before = async () => old
	await anna.client.loadOlder('bert')
	expect(bodies(anna)[2]).toBe('Edited')
})

test.each([3, 60, 190, 500])(
	'who missed %i messages has them all in order, the newest first on the screen',
	async (missed) => {
		const { server, anna } = pair()
		server.send('bert', 'before', 'Before')
		await settle()
		anna.cut()
		for (let index = 1; index <= missed; index += 1) server.send('bert', `b${index}`, `Message ${index}`)
		anna.connect()
		await settle()
		expect(bodies(anna).at(-1)).toBe(`Message ${missed}`)
		// Changes that are too many for one catch-up are loaded when somebody scrolls there.
		expect(bodies(anna)).toHaveLength(missed > 200 ? 50 : missed + 1)
		while (view(anna).older) await anna.client.loadOlder('bert')
		expect(view(anna).messages).toEqual(server.rows)
	},
)

/** A long conversation, opened at an old message. */
async function openedAt(id: number, length = 300) {
	const server = new ChatServer()
	for (let index = 1; index <= length; index += 1) server.send('bert', `b${index}`, `Message ${index}`)
	const anna = open(server, new Browser('anna'))
	await settle()
	anna.client.show('bert', server.around(id, 10))
	return { server, anna }
}

test('an old part of the conversation replaces its end, and paging in both directions leads back to live messages', async () => {
	const { server, anna } = await openedAt(100)
	expect(view(anna)).toMatchObject({ older: true, newer: true })
	expect(view(anna).messages.map(({ id }) => id)).toEqual(Array.from({ length: 21 }, (_, index) => 90 + index))
	server.send('bert', 'live', 'Live')
	await settle()
	expect(view(anna).latest.at(-1)?.body).toBe('Live')
	expect(bodies(anna).at(-1)).toBe('Message 110')
	while (view(anna).newer) await anna.client.loadNewer('bert')
	while (view(anna).older) await anna.client.loadOlder('bert')
	expect(view(anna).messages).toEqual(server.rows)
	server.send('bert', 'more', 'More')
	await settle()
	expect(bodies(anna).at(-1)).toBe('More')
})

test.each<[string, (tab: Tab) => void]>([
	['going to the newest', (tab) => tab.client.show('bert', null)],
	['writing', (tab) => tab.client.write('bert', 'Back again')],
])('%s returns from an old part to the end', async (_what, act) => {
	const { server, anna } = await openedAt(100)
	act(anna)
	await settle()
	expect(view(anna).newer).toBe(false)
	expect(view(anna).messages).toEqual(server.rows.slice(250))
})

test('edits and deletions arrive in an old part, and reading there marks nothing as read', async () => {
	const { server, anna } = await openedAt(100)
	server.seen.length = 0
	server.change(100, { body: 'Edited', editedAt: 'now' })
	server.change(105, { body: '', deleted: true })
	await settle()
	expect(bodies(anna)[10]).toBe('Edited')
	expect(view(anna).messages[15]?.deleted).toBe(true)
	expect(server.seen.filter(({ read }) => read)).toEqual([])
})

test('a part that overlaps the known end is joined with it at once', async () => {
	const { server, anna } = await openedAt(245)
	expect(view(anna)).toMatchObject({ newer: false, older: true })
	expect(view(anna).messages).toEqual(server.rows.slice(234))
})

test('a page of a part that the reader has left meanwhile is discarded', async () => {
	const { server, anna } = await openedAt(100)
	anna.weather = { loss: 0, double: 0, delay: 500 }
	const loading = [anna.client.loadNewer('bert'), anna.client.loadOlder('bert')]
	anna.client.show('bert', null)
	await settle()
	await Promise.all(loading)
	expect(view(anna).messages).toEqual(server.rows.slice(250))
})

test('the peer is shown as typing until they send, or for five seconds after the last report', async () => {
	const { anna, bert } = pair()
	anna.client.receiveTyping('bert')
	expect(view(anna).typing).toBe(true)
	await vi.advanceTimersByTimeAsync(TYPING_SHOWN_MS)
	expect(view(anna).typing).toBe(false)
	anna.client.receiveTyping('bert')
	bert.client.write('anna', 'There')
	await vi.advanceTimersByTimeAsync(10)
	expect(view(anna).typing).toBe(false)
})

test('receipts only move forward, and a burst of messages is reported once', async () => {
	const { server, anna, bert } = pair()
	anna.client.attend('bert', true)
	anna.client.receiveReceipts('bert', { delivered: 5, read: 4 })
	anna.client.receiveReceipts('bert', { delivered: 3, read: 2 })
	expect(view(anna).receipts).toEqual({ delivered: 5, read: 4 })
	for (let index = 1; index <= 20; index += 1) bert.client.write('anna', `${index}`)
	await settle()
	const told = server.seen.filter(({ by }) => by === 'anna')
	expect(told.at(-1)).toMatchObject({ upTo: 20 })
	expect(told.length).toBeLessThan(5)
})

test('messages that arrive while the reader is away are below the line of new messages, which an own message removes', async () => {
	const { anna, bert } = pair()
	anna.client.attend('bert', true)
	bert.client.write('anna', 'Seen')
	await settle()
	const seen = view(anna).messages.at(-1)?.id ?? 0
	expect(view(anna).readId).toBeGreaterThan(seen)
	anna.client.attend('bert', false)
	for (const body of ['New', 'Newer']) bert.client.write('anna', body)
	await settle()
	expect(view(anna).readId).toBe(seen)
	anna.client.write('bert', 'I am back')
	expect(view(anna).readId).toBeGreaterThan(seen + 2)
})

test.each(Array.from({ length: 100 }, (_, seed) => seed + 1))(
	'in weather %i nothing is lost, doubled or out of order, in any tab',
	async (seed) => {
		const chance = chances(seed)
		const server = new ChatServer()
		const browsers = [new Browser('anna'), new Browser('bert')] as const
		const weather = { loss: 0.2, double: 0.2, delay: 400 }
		const tabs = [browsers[0], browsers[0], browsers[1]].map((browser) => {
			const tab = new Tab(server, browser, weather, chance)
			tab.client.open(server.page(peerOf(tab)))
			tab.connect()
			return tab
		})
		const written: Record<string, string[]> = { anna: [], bert: [] }
		for (let step = 0; step < 120; step += 1) {
			const tab = tabs[Math.floor(chance() * tabs.length)]
			if (!tab) continue
			const act = chance()
			if (act < 0.15) tab.cut()
			else if (act < 0.4) tab.connect()
			else if (act < 0.45 && server.rows.length > 0)
				server.change(1 + Math.floor(chance() * server.rows.length), { body: `edited ${step}` })
			else {
				tab.client.write(peerOf(tab), `${step}`)
				written[tab.client.me]?.push(`${tab.client.me}-${(written[tab.client.me]?.length ?? 0) + 1}`)
			}
			await vi.advanceTimersByTimeAsync(chance() * 300)
		}
		for (const tab of tabs) {
			tab.weather = { loss: 0, double: 0, delay: 50 }
			tab.cut()
			tab.connect()
		}
		await vi.advanceTimersByTimeAsync(300_000)
		for (const [member, ids] of Object.entries(written))
			expect(server.rows.filter(({ sender }) => sender === member).map(({ clientId }) => clientId)).toEqual(ids)
		for (const tab of tabs) {
			while (view(tab).older) {
				const loaded = tab.client.loadOlder(peerOf(tab))
				await vi.advanceTimersByTimeAsync(1_000)
				await loaded
			}
			expect(view(tab).messages).toEqual(server.rows)
			expect(tab.client.outbox.list()).toEqual([])
		}
	},
)

test('receipts and permissions that changed while a tab was disconnected are known after it reconnects', async () => {
	const { server, anna } = pair()
	anna.client.write('bert', 'Hello')
	await settle()
	anna.cut()
	server.receipts = { delivered: 1, read: 1 }
	server.state = { kind: 'closed', reason: 'You blocked Bert.', reachable: true, blockedByMe: true, muted: false }
	anna.connect()
	await settle()
	expect(view(anna).receipts).toEqual({ delivered: 1, read: 1 })
	expect(view(anna).state).toMatchObject({ kind: 'closed', blockedByMe: true })
})

test('without a live connection, polling fetches news for the conversations on the screen only', async () => {
	const { server, anna } = pair()
	server.leave(anna)
	const hide = anna.client.watch('bert')
	server.send('bert', 'b-1', 'Are you there?')
	anna.client.poll()
	await settle()
	expect(bodies(anna)).toEqual(['Are you there?'])
	hide()
	server.send('bert', 'b-2', 'And now?')
	anna.client.poll()
	await settle()
	expect(bodies(anna)).toEqual(['Are you there?'])
})

test('typing is reported at most every three seconds, also after the clock was set back', () => {
	const { anna } = pair()
	for (let second = 0; second < 6; second += 1) {
		anna.client.types('bert')
		vi.advanceTimersByTime(1_000)
	}
	expect(anna.typed).toBe(2)
	vi.setSystemTime(Date.now() - 3_600_000)
	anna.client.types('bert')
	expect(anna.typed).toBe(3)
})
