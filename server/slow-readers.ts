import type { Socket } from 'socket.io'
import { log } from '~/lib/log.server.ts'

type Connection = Socket['conn']

/** Bytes that may wait for one tab. A page of the chat is a tenth of this; who lags further behind catches up by asking. */
export const MAX_WAITING_BYTES = 1024 * 1024

/** What engine.io keeps to itself of a WebSocket. */
interface Wire {
	bufferedAmount?: number
	terminate?: () => void
}

/**
 * Ends a connection whose reader does not take what is sent, before it holds the server's memory. Nothing is lost: a tab
 * asks for what it missed when it comes back.
 */
export function endSlowReader(connection: Connection): void {
	// Packets wait here until the transport takes them, and in the transport until the network does.
	let waiting = 0
	connection.on('flush', () => {
		waiting = 0
	})
	connection.on('packetCreate', ({ data = '' }: { data?: string | Buffer }) => {
		waiting += data.length
		const wire = (connection.transport as unknown as { socket?: Wire }).socket
		if (waiting + (wire?.bufferedAmount ?? 0) <= MAX_WAITING_BYTES) return
		log.info({ waiting }, 'a tab that does not read was closed')
		// Closing in order would wait for the reader.
		wire?.terminate?.()
	})
}
