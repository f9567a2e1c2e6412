import { once } from 'node:events'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { useDatabase } from '../support/database.ts'
import { logInMember, type MembersSite, startOnTestDatabase } from '../support/members-site.ts'
import { closeTabs, nextEvent, openTab, startTab, watchPresence } from '../support/tabs.ts'

// Hostile or broken clients of the built site's socket, and their effect on others.

useDatabase()

const most = { tabs: 50, packets: 60, watched: 200 }

let site: MembersSite
let mira: string
let odalys: string

beforeAll(async () => {
	site = await startOnTestDatabase()
	mira = (await logInMember(site, 'mira')).cookie
	odalys = (await logInMember(site, 'odalys')).cookie
})

afterAll(() => site.stop())

afterEach(closeTabs)

test.each([
	['without a session', () => ({}), 'unauthenticated'],
	['with a made-up session', () => ({ Cookie: 'session=made-up' }), 'unauthenticated'],
	['with a session and no word of its page', () => ({ Cookie: mira, 'Sec-Fetch-Site': '' }), 'foreign origin'],
	[
		'from a page of another host of the domain',
		() => ({ Cookie: mira, 'Sec-Fetch-Site': 'same-site' }),
		'foreign origin',
	],
	['from a page of another site', () => ({ Cookie: mira, Origin: 'https://other.example' }), 'foreign origin'],
	['from a page without an origin of its own', () => ({ Cookie: mira, Origin: 'null' }), 'foreign origin'],
])('a socket %s is refused', async (_what, headers, reason) => {
	const socket = startTab(site.url, headers())
	expect(await nextEvent(socket, 'connect_error')).toMatchObject({ message: reason })
})

test('a site that is opened at another address than the public one accepts the sockets of its pages', async () => {
	const { port } = new URL(site.url)
	const address = `http://127.0.0.1:${port}`
	for (const Origin of [address, `http://localhost:${port}`])
		await nextEvent(startTab(address, { Cookie: mira, Origin }), 'connect')
	for (const Origin of [`https://127.0.0.1:${port}`, `http://127.0.0.1:${Number(port) + 1}`]) {
		const foreign = startTab(address, { Cookie: mira, Origin })
		expect(await nextEvent(foreign, 'connect_error')).toMatchObject({ message: 'foreign origin' })
	}
})

test('a socket for another member than the page’s is refused, so that nothing is sent in their name', async () => {
	const socket = startTab(site.url, { Cookie: mira })
	socket.auth = { me: 'odalys' }
	expect(await nextEvent(socket, 'connect_error')).toMatchObject({ message: 'another member' })
	const own = startTab(site.url, { Cookie: mira })
	own.auth = { me: 'mira' }
	await nextEvent(own, 'connect')
})

test('polling transport is disabled', async () => {
	const answer = await site.ask('/realtime/?EIO=4&transport=polling', mira)
	expect(answer.status).toBe(400)
})

test('invalid events are ignored, and the socket stays open', async () => {
	const tab = await openTab(site.url, mira)
	tab.emit('no:such:event', { any: 'thing' })
	tab.emit('presence:changed', { username: 'odalys', online: true })
	const tooMany = Array(most.watched + 1).fill('mira')
	for (const wrong of [null, 'mira', 7, {}, [null, 7, {}], [`${'x'.repeat(65)}`], tooMany])
		tab.emit('presence:watch', wrong, () => {})
	tab.emit('presence:watch', ['odalys'])
	tab.emit('presence:watch', ['odalys'], 'no function')
	for (const wrong of ['7', -1, 2 ** 31, {}, [], undefined, 7]) tab.emit('query:watch', wrong)
	await expect.poll(() => watchPresence(tab, ['mira'])).toEqual(['mira'])
})

test('a tab cannot emit the server’s events to others', async () => {
	const other = await openTab(site.url, odalys)
	await watchPresence(other, ['nobody'])
	const heard: unknown[] = []
	// Initial events of the server may still arrive.
	const itself = ['notifications:changed', 'chat:count']
	other.onAny((...event) => itself.includes(event[0]) || heard.push(event))
	const tab = await openTab(site.url, mira)
	tab.emit('member:joined', { username: 'nobody' })
	tab.emit('presence:changed', { username: 'nobody', online: true })
	await watchPresence(tab, ['nobody'])
	await watchPresence(other, ['nobody'])
	expect(heard).toEqual([])
})

test('a frame of 1 MB closes its socket, and no other', async () => {
	const other = await openTab(site.url, odalys)
	const tab = await openTab(site.url, mira)
	const closed = nextEvent(tab, 'disconnect')
	tab.io.reconnection(false)
	tab.emit('presence:watch', ['x'.repeat(1_000_000)], () => {})
	await closed
	expect(await watchPresence(other, ['odalys'])).toEqual(['odalys'])
})

test('a flood closes its socket, and no other', async () => {
	const other = await openTab(site.url, odalys)
	const tab = await openTab(site.url, mira)
	const closed = nextEvent(tab, 'disconnect')
	tab.io.reconnection(false)
	for (let index = 0; index <= most.packets; index += 1) tab.emit('presence:watch', ['odalys'], () => {})
	await closed
	expect(await watchPresence(other, ['odalys'])).toEqual(['odalys'])
})

test.each([
	['asks again and again to be let in', '40'],
	['asks for places that are not there', '40/elsewhere,'],
	['sends heartbeats nobody asked for', '3'],
])('who nobody knows and %s is closed too', async (_what, packet) => {
	const raw = new WebSocket(`${site.url.replace('http', 'ws')}/realtime/?EIO=4&transport=websocket`)
	await once(raw, 'open')
	const closed = once(raw, 'close', { signal: AbortSignal.timeout(30_000) })
	for (let index = 0; index <= most.packets; index += 1) raw.send(packet)
	await closed
})

test('the number of tabs per member is limited, even concurrently', async () => {
	const { cookie } = await logInMember(site, 'many')
	const tabs = Array.from({ length: most.tabs + 10 }, () => startTab(site.url, { Cookie: cookie }))
	await expect.poll(() => tabs.filter(({ connected }) => connected).length).toBe(most.tabs)
	const surplus = startTab(site.url, { Cookie: cookie })
	expect(await nextEvent(surplus, 'connect_error')).toMatchObject({ message: 'too many tabs' })
	expect(tabs.filter(({ connected }) => connected)).toHaveLength(most.tabs)
})
