import type { Socket } from 'socket.io-client'
import type { ClientEvents, ServerEvents } from './events.ts'

/*
 * The one socket of this tab. Its client (13 KB) is loaded for members only, after the page stands; whatever wants to hear
 * of something says so here, before or after the socket is open.
 */

type Live = Socket<ServerEvents, ClientEvents>

let socket: Live | null = null
const waiting = new Set<(socket: Live) => void>()

/** Opens the socket. @returns closes it again */
export function openLive(): () => void {
	let left = false
	const open = async () => {
		const { io } = await import('socket.io-client')
		if (left) return
		socket = io({ path: '/realtime', transports: ['websocket'] })
		for (const tell of waiting) tell(socket)
	}
	open().catch(() => {
		// Without the socket everything but live changes works; the next page tries again.
	})
	return () => {
		left = true
		socket?.disconnect()
		socket = null
	}
}

/** Calls `use` with the socket, now or once it is open. @returns takes that back, and undoes what `use` did */
export function withLive(use: (socket: Live) => () => void): () => void {
	let undo = () => {}
	const tell = (opened: Live) => {
		undo = use(opened)
	}
	waiting.add(tell)
	if (socket) tell(socket)
	return () => {
		waiting.delete(tell)
		undo()
	}
}
