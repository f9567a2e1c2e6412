import type { Socket } from 'socket.io-client'
import type { ClientEvents, ServerEvents } from './events.ts'

/*
 * The one socket of this tab. Its client (13 KB) is loaded for members only, after the page has rendered; listeners may register
 * before or after the socket is open.
 */

export type LiveSocket = Socket<ServerEvents, ClientEvents>

/** After a changed password, the cookie of the new session needs a moment to reach the browser. */
const FIRST_RETRY_MS = 2_000
const LATER_RETRIES_MS = 60_000
/**
 * A server that could not authenticate us because its database was unavailable will be able to soon: delays are spread, so that
 * tabs do not all retry at once.
 */
const momentary = { least: 1_000, spread: 2_000 }

let socket: LiveSocket | null = null
const waiting = new Set<(socket: LiveSocket) => void>()

/**
 * Opens the socket. @param me username that this page was rendered for: if another member logs in meanwhile, the socket is refused, so
 * that nothing is sent in their name. @returns closes it again
 */
export function openLive(me: string): () => void {
	let left = false
	let forget = () => {}
	const open = async () => {
		const { io } = await import('socket.io-client')
		if (left) return
		socket = io({ path: '/realtime', transports: ['websocket'], auth: { me } })
		forget = keepReconnecting(socket)
		for (const tell of waiting) tell(socket)
	}
	let timer: ReturnType<typeof setTimeout> | undefined
	// Everything but live updates works without the socket, so failed loads of its script are retried silently.
	const openAtLast = (pause: number) => {
		open().catch(() => {
			if (!left) timer = setTimeout(openAtLast, pause, Math.min(pause * 2, LATER_RETRIES_MS))
		})
	}
	openAtLast(FIRST_RETRY_MS)
	return () => {
		left = true
		clearTimeout(timer)
		forget()
		socket?.disconnect()
		socket = null
	}
}

/** Calls `use` with the socket, now or once it is open. @returns unsubscribes, and undoes what `use` did */
export function withLive(use: (socket: LiveSocket) => () => void): () => void {
	let undo = () => {}
	const tell = (opened: LiveSocket) => {
		// Removes the listeners from the socket of an earlier login.
		undo()
		undo = use(opened)
	}
	waiting.add(tell)
	if (socket) tell(socket)
	return () => {
		waiting.delete(tell)
		undo()
	}
}

/** Calls `handle` for each event of this name. @returns stops that */
export function on<Name extends keyof ServerEvents>(
	socket: LiveSocket,
	name: Name,
	handle: ServerEvents[Name],
): () => void {
	// TypeScript cannot see that name and handler match.
	socket.on(name, handle as never)
	return () => socket.off(name, handle as never)
}

/** Emits an event to this tab's listeners, as if the server had sent it. */
export function tell<Name extends keyof ServerEvents>(
	to: LiveSocket,
	name: Name,
	event: Parameters<ServerEvents[Name]>[0],
): void {
	for (const hear of to.listeners(name)) (hear as (said: typeof event) => void)(event)
}

/**
 * Socket.IO's client reconnects after a lost connection, but not when the server closed or refused the socket. That may be
 * temporary, or concern a session that this browser has renewed since, so it is retried here. @returns stops retrying
 */
export function keepReconnecting(opened: LiveSocket): () => void {
	let timer: ReturnType<typeof setTimeout> | undefined
	let triedAt = Number.NEGATIVE_INFINITY
	const later = (wait: number) => {
		clearTimeout(timer)
		timer = setTimeout(() => {
			triedAt = performance.now()
			opened.connect()
		}, wait)
	}
	const closed = () => {
		if (!opened.active) later(performance.now() - triedAt > LATER_RETRIES_MS ? FIRST_RETRY_MS : LATER_RETRIES_MS)
	}
	const refused = ({ message }: Error) => {
		if (message === 'unavailable') later(momentary.least + Math.random() * momentary.spread)
		else closed()
	}
	opened.on('disconnect', closed)
	opened.on('connect_error', refused)
	return () => {
		clearTimeout(timer)
		opened.off('disconnect', closed)
		opened.off('connect_error', refused)
	}
}
