import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Server } from 'socket.io'
import { io } from 'socket.io-client'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { eventually } from '../../../tests/support/eventually.ts'
import { type ClientEvents, MAX_WATCHED, type ServerEvents } from './events.ts'
import type { LiveSocket } from './live.ts'
import { WatchedPresence } from './use-presence.ts'

// Over a real socket, with a server that each test controls.

const quiet = () => {}
let server: Server<ClientEvents, ServerEvents>
let socket: LiveSocket
let watched: WatchedPresence
let asked: string[][]
/** The server's answer, which a test may delay. */
let answer: (usernames: string[]) => Promise<string[]>

beforeEach(async () => {
	asked = []
	answer = async () => ['mira']
	watched = new WatchedPresence()
	const http = createServer().listen(0, 'localhost')
	await once(http, 'listening')
	server = new Server(http, { transports: ['websocket'] })
	server.on('connection', (tab) =>
		tab.on('presence:watch', async (usernames, reply) => {
			asked.push(usernames)
			reply(await answer(usernames))
		}),
	)
	const url = `http://localhost:${(http.address() as AddressInfo).port}`
	socket = io(url, { transports: ['websocket'], forceNew: true, reconnectionDelay: 10 })
})

afterEach(async () => {
	socket.disconnect()
	await server.close()
})

test('presence is unknown until the server has answered', async () => {
	const changed = vi.fn<() => void>()
	watched.show(['mira', 'rohan'], changed)
	watched.listen(socket)
	expect(watched.isOnline('mira')).toBeUndefined()
	await eventually(() => expect(changed).toHaveBeenCalled())
	expect([watched.isOnline('mira'), watched.isOnline('rohan')]).toEqual([true, false])
})

test('components that mount together share one request, with each member once', async () => {
	watched.listen(socket)
	await connected()
	watched.show(['mira', 'rohan'], quiet)
	watched.show(['rohan', 'odalys'], quiet)
	await eventually(() => expect(asked).toEqual([['mira', 'rohan', 'odalys']]))
})

test('of a list that exceeds the maximum, the members shown last are watched', async () => {
	watched.listen(socket)
	await connected()
	const long = Array.from({ length: MAX_WATCHED + 50 }, (_, index) => `member-${index}`)
	watched.show(long, quiet)
	await eventually(() => expect(asked).toEqual([long.slice(50)]))
})

test('changes are received, and presence is requested again after a reconnection', async () => {
	watched.listen(socket)
	watched.show(['mira', 'rohan'], quiet)
	await eventually(() => expect(watched.isOnline('mira')).toBe(true))
	server.emit('presence:changed', { username: 'rohan', online: true })
	await eventually(() => expect(watched.isOnline('rohan')).toBe(true))
	answer = async () => []
	for (const connection of await server.fetchSockets()) (connection as never as ServerSocket).conn.close()
	await eventually(() => expect(watched.isOnline('mira')).toBe(false))
	expect(watched.isOnline('rohan')).toBe(false)
})

test('an answer that is older than a change does not undo it', async () => {
	let release: (online: string[]) => void = quiet
	answer = () =>
		new Promise((resolve) => {
			release = resolve
		})
	watched.listen(socket)
	watched.show(['mira', 'rohan'], quiet)
	await eventually(() => expect(asked).toHaveLength(1))
	server.emit('presence:changed', { username: 'mira', online: false })
	await eventually(() => expect(watched.isOnline('mira')).toBe(false))
	release(['mira', 'rohan'])
	await eventually(() => expect(watched.isOnline('rohan')).toBe(true))
	expect(watched.isOnline('mira')).toBe(false)
})

test('presence is cleared with the last component, and a late answer restores nothing', async () => {
	let release: (online: string[]) => void = quiet
	watched.listen(socket)
	const hide = watched.show(['mira'], quiet)
	await eventually(() => expect(watched.isOnline('mira')).toBe(true))
	answer = () =>
		new Promise((resolve) => {
			release = resolve
		})
	const hideMore = watched.show(['rohan'], quiet)
	await eventually(() => expect(asked).toHaveLength(2))
	hide()
	hideMore()
	release(['mira', 'rohan'])
	answer = async () => ['odalys']
	watched.show(['odalys'], quiet)
	await eventually(() => expect(watched.isOnline('odalys')).toBe(true))
	expect([watched.isOnline('mira'), watched.isOnline('rohan')]).toEqual([undefined, undefined])
})

type ServerSocket = { conn: { close: () => void } }

async function connected(): Promise<void> {
	await eventually(() => expect(socket.connected).toBe(true))
}
