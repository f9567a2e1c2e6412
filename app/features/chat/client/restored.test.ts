import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { pair, peerOf, type Tab } from '../../../../tests/support/chat-network.ts'

beforeEach(() => {
	vi.useFakeTimers()
})

afterEach(() => {
	vi.useRealTimers()
})

const bodies = (tab: Tab) => tab.client.view(peerOf(tab))?.messages.map(({ body }) => body)
const settle = () => vi.advanceTimersByTimeAsync(60_000)

test('after the site was restored from a backup, open tabs show what is there, and what is written then', async () => {
	const { server, anna, bert } = pair()
	for (const body of ['Kept', 'Lost', 'Lost too', 'Lost as well']) anna.client.write('bert', body)
	await settle()
	server.receipts = { delivered: 4, read: 4 }
	anna.client.receiveReceipts('bert', server.receipts)
	for (const tab of [anna, bert]) tab.cut()
	server.rows.splice(1)
	server.version = 1
	server.receipts = { delivered: 1, read: 1 }
	for (const tab of [anna, bert]) tab.connect()
	await settle()
	anna.client.write('bert', 'From anna')
	bert.client.write('anna', 'From bert')
	await settle()
	for (const tab of [anna, bert]) expect(bodies(tab)).toEqual(['Kept', 'From anna', 'From bert'])
	expect(anna.client.view('bert')?.receipts).toEqual({ delivered: 1, read: 1 })
})

test.each([2, 3, 4])(
	'so does a tab that was asleep until %d messages were written after the restore',
	async (count) => {
		const { server, anna, bert } = pair()
		for (const body of ['Kept', 'Lost', 'Lost too', 'Lost as well']) anna.client.write('bert', body)
		await settle()
		for (const tab of [anna, bert]) tab.cut()
		server.rows.splice(1)
		// Restores leave out these versions.
		server.version = 1 + 10_000
		anna.connect()
		await settle()
		const written = ['New', 'New too', 'New as well', 'And new'].slice(0, count)
		for (const body of written) anna.client.write('bert', body)
		await settle()
		bert.connect()
		await settle()
		for (const tab of [anna, bert]) expect(bodies(tab)).toEqual(['Kept', ...written])
	},
)
