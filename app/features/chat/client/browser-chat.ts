import type { ServerEvents } from '~/realtime/events.ts'
import { type Live, withLive } from '~/realtime/live.ts'
import { ChatClient } from './chat-client.ts'
import { forgetBlocked, makeFallback, wasBlocked } from './http-fallback.ts'
import { SocketTransport } from './socket-transport.ts'
import type { Lock } from './transport.ts'

/** How long a lost connection is not worth a word, in milliseconds. */
const grace = 1_500

/** How long a lost socket may take to come back, in milliseconds, before the chat goes on without it. */
const patience = 5_000

let current: { client: ChatClient; stop: () => void } | null = null

/**
 * The chat of the member who is signed in, one for this tab; it stands until another member signs in. In the browser only.
 * @param me username
 */
export function chatOf(me: string): ChatClient {
	if (current?.client.me === me) return current.client
	current?.stop()
	current = start(me)
	return current.client
}

function start(me: string): { client: ChatClient; stop: () => void } {
	const transport = new SocketTransport(me)
	const client = new ChatClient({ me, transport, store: localStorage, lock, newId })
	const unhear = withLive((socket) => {
		transport.socket = socket
		return listen(socket, client, transport)
	})
	const otherTab = (event: StorageEvent) => {
		if (client.outbox.owns(event.key)) client.outboxChanged()
	}
	window.addEventListener('storage', otherTab)
	return {
		client,
		stop: () => {
			unhear()
			window.removeEventListener('storage', otherTab)
		},
	}
}

/** @param transport of a browser, where HTTP stands in for the socket; without it nothing does */
function listen(socket: Live, client: ChatClient, transport?: SocketTransport): () => void {
	const fallback = transport && makeFallback(socket, client, transport)
	let timer: ReturnType<typeof setTimeout> | undefined
	const gone = (quiet = grace, wait = patience) => {
		clearTimeout(timer)
		timer = setTimeout(() => fallback?.on || client.setLine('away'), quiet)
		fallback?.start(wait)
	}
	const back = () => {
		clearTimeout(timer)
		fallback?.stop()
		if (transport) transport.byHttp = false
		if (fallback) forgetBlocked()
		client.setLine('live')
		client.connected()
	}
	const lost = (reason: string) => {
		// Closed by this page, whose member has left.
		if (reason === 'io client disconnect') fallback?.stop()
		else gone()
	}
	const looked = () => document.hidden || fallback?.hurry()
	const undo = [
		on(socket, 'chat:message', ({ with: peer, message }) => client.hear(peer, message)),
		on(socket, 'chat:marks', ({ with: peer, marks }) => client.hearMarks(peer, marks)),
		on(socket, 'chat:typing', ({ from }) => client.hearTyping(from)),
		on(socket, 'chat:state', ({ with: peer, state }) => client.hearState(peer, state)),
	]
	socket.on('connect', back)
	socket.on('disconnect', lost)
	if (fallback) document.addEventListener('visibilitychange', looked)
	if (socket.connected) back()
	else gone(patience, fallback && wasBlocked() ? 0 : 2 * grace)
	return () => {
		clearTimeout(timer)
		fallback?.stop()
		if (transport) transport.byHttp = false
		for (const off of undo) off()
		socket.off('connect', back)
		socket.off('disconnect', lost)
		if (fallback) document.removeEventListener('visibilitychange', looked)
	}
}

function on<Name extends keyof ServerEvents>(socket: Live, name: Name, handle: ServerEvents[Name]): () => void {
	// The socket's types cannot follow that name and handler belong together.
	socket.on(name, handle as never)
	return () => socket.off(name, handle as never)
}

/** Where the browser has no locks (a page without TLS), two tabs may send at once; the server still stores each message once. */
const lock: Lock = async (name, work) => {
	if (navigator.locks) await navigator.locks.request(name, work)
	else await work()
}

/** As crypto.randomUUID, which a page without TLS does not have. */
function newId(): string {
	const bytes = crypto.getRandomValues(new Uint8Array(16))
	bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40
	bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
	const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
	return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
