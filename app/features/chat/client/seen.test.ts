import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Browser, ChatServer, pair, Tab } from '../../../../tests/support/chat-network.ts'

/* What a tab reports as delivered and as read. */

beforeEach(() => {
	vi.useFakeTimers()
})

afterEach(() => {
	vi.useRealTimers()
})

const settle = () => vi.advanceTimersByTimeAsync(60_000)

test('a conversation that loads while the reader is looking counts as read', async () => {
	const server = new ChatServer()
	server.send('bert', 'b1', 'Early')
	const anna = new Tab(server, new Browser('anna'))
	anna.client.attend('bert', true)
	anna.client.open(server.page('bert'))
	anna.connect()
	await settle()
	expect(server.seen.filter(({ by }) => by === 'anna').at(-1)).toMatchObject({ upTo: 1, read: true })
})

test('receipts are reported again after a lost connection', async () => {
	const { server, anna, bert } = pair()
	anna.client.attend('bert', true)
	bert.client.write('anna', 'Hello')
	await settle()
	anna.client.attend('bert', true)
	await settle()
	server.seen.length = 0
	anna.cut()
	anna.connect()
	await settle()
	expect(server.seen).toContainEqual({ by: 'anna', upTo: 1, read: true, leaving: false })
})

test('receipts are reported again when a block ends, during which none were stored', async () => {
	const { server, anna, bert } = pair()
	anna.client.attend('bert', true)
	bert.client.write('anna', 'Hello')
	await settle()
	server.seen.length = 0
	anna.client.receiveState('bert', server.state)
	await settle()
	expect(server.seen).toEqual([{ by: 'anna', upTo: 1, read: true, leaving: false }])
})

test('messages read in the last second are reported when the page is left, and none twice', async () => {
	const { server, anna, bert } = pair()
	bert.client.write('anna', 'Hello')
	await vi.waitFor(() => expect(server.seen).toMatchObject([{ by: 'anna', upTo: 1, read: false }]))
	anna.client.attend('bert', true)
	expect(server.seen).toHaveLength(1)
	anna.client.leave()
	anna.client.leave()
	await settle()
	expect(server.seen.slice(1)).toEqual([{ by: 'anna', upTo: 1, read: true, leaving: true }])
})

test('a message that arrives just after the reader looked away does not count as read', async () => {
	const { server, anna, bert } = pair()
	bert.client.write('anna', 'Read')
	await vi.waitFor(() => expect(server.seen).toHaveLength(1))
	anna.client.attend('bert', true)
	anna.client.attend('bert', false)
	bert.client.write('anna', 'Unread')
	await settle()
	expect(server.seen).toMatchObject([
		{ upTo: 1, read: false },
		{ upTo: 1, read: true },
		{ upTo: 2, read: false },
	])
})

test('a message of the conversation that is being read is reported as read at once', async () => {
	const { server, anna, bert } = pair()
	anna.client.attend('bert', true)
	bert.client.write('anna', 'Hello')
	await vi.waitFor(() => expect(server.seen).toHaveLength(1))
	expect(server.seen).toMatchObject([{ by: 'anna', upTo: 1, read: true }])
})
