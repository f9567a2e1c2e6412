import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Browser, ChatServer, noFaults, Tab } from '../../../../tests/support/chat-network.ts'

beforeEach(() => {
	vi.useFakeTimers()
})

afterEach(() => {
	vi.useRealTimers()
})

function start() {
	const server = new ChatServer()
	const browser = new Browser('anna')
	return { server, browser, anna: open(server, browser) }
}

function open(server: ChatServer, browser: Browser, before?: Tab): Tab {
	const tab = new Tab(server, browser, undefined, undefined, before?.session)
	tab.client.open(server.page('bert'))
	tab.connect()
	return tab
}

const file = (content: string) => new File([content], `${content}.png`, { type: 'image/png' })
const settle = () => vi.advanceTimersByTimeAsync(120_000)
const choose = (tab: Tab, ...contents: string[]) => tab.client.attachments.choose('bert', contents.map(file))
const list = (tab: Tab) => tab.client.attachments.listFor('bert')
const sent = (server: ChatServer) =>
	server.rows.map(({ body, pictures }) => [body, ...pictures.map(({ path }) => path)])

test('uploads a picture as soon as it is chosen, sends its path with the message, and deletes the local copy', async () => {
	const { server, browser, anna } = start()
	await choose(anna, 'bench', 'probe')
	anna.client.attachments.describe('bert', list(anna)[1]?.id ?? '', ' The probe ')
	await settle()
	expect(server.uploads).toBe(2)
	expect(anna.client.write('bert', '')).toBe(true)
	expect(list(anna)).toEqual([])
	await settle()
	expect(sent(server)).toEqual([['', 'messages/bench', 'messages/probe']])
	expect(server.rows[0]?.pictures.map(({ alt }) => alt)).toEqual(['', 'The probe'])
	expect([server.uploads, anna.client.outgoing(), browser.files.size]).toEqual([2, [], 0])
})

test('without a connection a picture waits with its message, and so does the next message', async () => {
	const { server, browser, anna } = start()
	anna.cut()
	await choose(anna, 'bench')
	anna.client.write('bert', 'Look')
	anna.client.write('bert', 'Is it right?')
	await settle()
	expect(anna.client.outgoing().map(({ body, pictures }) => [body, pictures.length])).toEqual([
		['Look', 1],
		['Is it right?', 0],
	])
	anna.connect()
	await settle()
	expect(sent(server)).toEqual([['Look', 'messages/bench'], ['Is it right?']])
	expect([server.uploads, browser.files.size]).toEqual([1, 0])
})

test('a later tab uploads the pictures that an earlier one left, once', async () => {
	const { server, browser, anna } = start()
	anna.cut()
	await choose(anna, 'bench')
	anna.client.write('bert', 'Left behind')
	open(server, browser)
	await settle()
	anna.connect()
	await settle()
	expect(sent(server)).toEqual([['Left behind', 'messages/bench']])
	expect(anna.client.outgoing()).toEqual([])
})

test('a reconnect retries at once', async () => {
	const { server, anna } = start()
	anna.cut()
	await choose(anna, 'bench')
	await vi.advanceTimersByTimeAsync(1_000)
	anna.connect()
	await vi.advanceTimersByTimeAsync(100)
	expect(server.uploads).toBe(1)
})

test('a message that is given up during an upload is not sent', async () => {
	const { server, browser, anna } = start()
	anna.weather = { loss: 0, double: 0, delay: 5_000 }
	await choose(anna, 'bench')
	anna.client.write('bert', 'Never mind')
	anna.client.write('bert', 'Something else')
	const [first] = anna.client.outgoing()
	if (first) anna.client.discard(first)
	await settle()
	expect(sent(server)).toEqual([['Something else']])
	expect(browser.files.size).toBe(0)
})

test('a refused picture leaves the list with an error', async () => {
	const { server, browser, anna } = start()
	server.pictureRefusals.push('Invalid file type!')
	await choose(anna, 'drawing')
	await settle()
	expect([list(anna), anna.client.attachments.refusalFor('bert')]).toEqual([[], 'Invalid file type!'])
	expect([browser.files.size, anna.client.write('bert', '')]).toEqual([0, false])
})

test('a message with a refused picture fails, and a retry uploads the file again', async () => {
	const { server, anna } = start()
	server.pictureRefusals.push('You have used your 50 MB for pictures.')
	anna.cut()
	await choose(anna, 'bench')
	anna.client.write('bert', 'Look')
	anna.connect()
	await settle()
	const [refused] = anna.client.outgoing()
	expect(refused?.refusal).toBe('You have used your 50 MB for pictures.')
	if (refused) anna.client.retry(refused)
	await settle()
	expect(sent(server)).toEqual([['Look', 'messages/bench']])
})

test('a retry uploads again what the server has deleted meanwhile', async () => {
	const { server, anna } = start()
	await choose(anna, 'bench')
	await settle()
	server.refusals.push({ ok: false, message: 'A picture of this message no longer exists.', retry: false })
	anna.client.write('bert', '')
	await settle()
	const [refused] = anna.client.outgoing()
	if (refused) anna.client.retry(refused)
	await settle()
	expect([server.uploads, sent(server)]).toEqual([2, [['', 'messages/bench']]])
})

test('a picture uploaded half an hour ago is uploaded again before its message', async () => {
	const { server, anna } = start()
	await choose(anna, 'bench')
	await vi.advanceTimersByTimeAsync(31 * 60_000)
	anna.client.write('bert', '')
	await settle()
	expect(server.uploads).toBe(2)
	expect(server.rows).toHaveLength(1)
})

test.each([
	['a fifth picture', ['1', '2', '3', '4', '5'], 4, 'A message may have at most 4 pictures.'],
	['what is no picture', [''], 0, 'Invalid file type!'],
])('%s is refused at once', async (_what, contents, kept, words) => {
	const { anna } = start()
	await choose(anna, ...contents)
	expect(list(anna)).toHaveLength(kept)
	expect(anna.client.attachments.refusalFor('bert')).toBe(words)
})

test('a removed picture is not sent, and the next choice clears the error', async () => {
	const { server, anna } = start()
	await choose(anna, '')
	await choose(anna, 'bench')
	expect(anna.client.attachments.refusalFor('bert')).toBeNull()
	anna.client.attachments.drop('bert', list(anna)[0]?.id ?? '')
	expect(anna.client.write('bert', 'Words')).toBe(true)
	await settle()
	expect(sent(server)).toEqual([['Words']])
})

test('unsent pictures survive a reload in the same tab, and are deleted once sent', async () => {
	const { server, browser, anna } = start()
	await choose(anna, 'bench', 'probe')
	anna.client.attachments.describe('bert', list(anna)[1]?.id ?? '', 'The probe')
	await settle()
	anna.cut()
	const again = open(server, browser, anna)
	await settle()
	expect(list(again).map(({ name, alt }) => [name, alt])).toEqual([
		['bench.png', ''],
		['probe.png', 'The probe'],
	])
	const other = open(server, browser)
	await settle()
	expect(list(other)).toEqual([])

	const dropped = list(again)[0]?.id ?? ''
	again.client.attachments.drop('bert', dropped)
	const reloaded = open(server, browser, again)
	await settle()
	expect(list(reloaded).map(({ alt }) => alt)).toEqual(['The probe'])
	reloaded.client.write('bert', 'Look')
	await settle()
	expect(sent(server)).toEqual([['Look', 'messages/probe']])
	const last = open(server, browser, reloaded)
	await settle()
	expect(list(last)).toEqual([])
})

test('old files are deleted, but not what a message waits with or the reloaded tab has attached', async () => {
	const { server, browser, anna } = start()
	anna.cut()
	await choose(anna, 'waiting')
	anna.client.write('bert', 'Look')
	await choose(anna, 'attached')
	await choose(open(server, browser), 'of another tab')
	const again = new Tab(server, browser, undefined, undefined, anna.session)
	await again.client.sweepPictures()
	expect(await Promise.all([...browser.files.values()].map((kept) => kept.text()))).toEqual(['waiting', 'attached'])
})

test('a later tab finds what is unsent for a peer who was renamed while none was open', async () => {
	const { server, browser, anna } = start()
	anna.client.attachments.choose('clara', [file('bench')])
	browser.store.setItem('chat-draft:anna:clara', 'Half a thought')
	browser.store.setItem('chat-draft:anna:dora', 'A thought for somebody who was not renamed')
	server.refusals.push({ ok: false, message: 'Too long.', retry: false })
	anna.client.write('emil', 'Refused')
	await settle()
	server.renamed.set('clara', 'clarissa').set('emil', 'emilio')

	const later = new Tab(server, browser, undefined, undefined, anna.session)
	later.client.open(server.page('clarissa'))
	later.weather = { ...noFaults, loss: 1 }
	later.connect()
	await settle()
	later.cut()
	later.weather = noFaults
	later.connect()
	await settle()
	const renamed = later.renames.toSorted((one, other) => one.from.localeCompare(other.from))
	expect(renamed.map(({ from, to }) => [from, to])).toEqual([
		['clara', 'clarissa'],
		['emil', 'emilio'],
	])
	await later.client.attachments.choose('clarissa', [file('plaque')])
	for (const { from, to } of renamed) later.client.peerRenamed(from, to)
	await settle()
	expect(later.client.attachments.listFor('clarissa').map(({ name }) => name)).toEqual(['bench.png', 'plaque.png'])
	expect(later.client.outgoing().map(({ to, refusal }) => [to, refusal])).toEqual([['emilio', 'Too long.']])
})

test('pictures of both names of a renamed peer stay, and are sent once they are no more than a message may have', async () => {
	const { server, browser, anna } = start()
	const pictures = anna.client.attachments
	await pictures.choose('clara', ['bench', 'probe', 'plaque'].map(file))
	await pictures.choose('clarissa', ['dam', 'heron'].map(file))
	const again = open(server, browser, anna)
	const { attachments } = again.client
	again.client.open(server.page('clarissa'))
	await settle()
	const held = Promise.withResolvers<void>()
	const { put } = browser.pictures
	vi.spyOn(browser.pictures, 'put').mockImplementationOnce((...all) => held.promise.then(() => put(...all)))
	void attachments.choose('clarissa', [file('lake')])
	again.client.peerRenamed('clara', 'clarissa')
	const settled = attachments.settled('clarissa').then(() => attachments.listFor('clarissa').length)
	await settle()
	held.resolve()
	expect(await settled).toBe(6)

	expect(again.client.write('clarissa', 'Look')).toBe(false)
	expect(attachments.refusalFor('clarissa')).toBe('A message may have at most 4 pictures.')
	for (const { id } of attachments.listFor('clarissa').slice(4)) attachments.drop('clarissa', id)
	expect(again.client.write('clarissa', 'Look')).toBe(true)
})

test('lost files and invalid entries are ignored after a reload', async () => {
	const { server, browser, anna } = start()
	await choose(anna, 'bench', 'probe')
	browser.files.delete(list(anna)[0]?.id ?? '')
	const again = open(server, browser, anna)
	await settle()
	expect(list(again).map(({ name }) => name)).toEqual(['probe.png'])
	for (const text of ['nonsense', '{}', '[{}]', '[null]']) {
		anna.session.setItem('chat-attached:anna:bert', text)
		expect(list(open(server, browser, anna))).toEqual([])
	}
})
