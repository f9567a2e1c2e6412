import type { Server } from 'node:http'
import { type AddressInfo, createServer, Server as NetServer } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Config } from '../app/config.server.ts'
import { codeOf } from '../app/lib/system-errors.ts'
import { connectionLimits } from './limits.ts'

/** A turn of Node's event loop this short did next to nothing. */
const SHORT_TURN_MS = 1
/** Maximum wait for a short turn on a busy machine. */
const MAX_ACCEPTING_MS = 2_000

/** The loopback addresses: what `localhost` means, whichever of them the hosts file names. */
const loopback = ['127.0.0.1', '::1']

/** The addresses for a HOST, without those that this machine does not have. */
export function listenAddresses(host: string): string[] {
	return host === 'localhost' ? loopback : [host]
}

/** Whether listening failed because this machine has no such address, as where IPv6 is disabled. */
export function isMissingAddress(error: unknown): boolean {
	return ['EADDRNOTAVAIL', 'EAFNOSUPPORT'].includes(codeOf(error))
}

/**
 * Makes a server listen on HOST and PORT; `localhost` is both 127.0.0.1 and ::1, where the machine has both.
 * @returns the port, and a function that stops listening; open connections stay
 * @throws Error with one sentence when the port cannot be opened
 */
export async function listen(
	server: Server,
	{ HOST, PORT }: Pick<Config, 'HOST' | 'PORT'>,
): Promise<{ port: number; close: () => Promise<void> }> {
	const listeners: NetServer[] = []
	let port = PORT
	let missing: unknown
	for (const address of listenAddresses(HOST)) {
		const listener = listeners.length === 0 ? server : passingTo(server)
		try {
			await open(listener, port, address)
			listeners.push(listener)
			port = (listener.address() as AddressInfo).port
		} catch (error) {
			if (!isMissingAddress(error)) throw refusal(error as NodeJS.ErrnoException, HOST, PORT)
			missing = error
		}
	}
	if (listeners.length === 0) throw refusal(missing as NodeJS.ErrnoException, HOST, PORT)
	return {
		port,
		close: async () => {
			await allAccepted(server)
			// The `close` of an HTTP server would also destroy idle connections, whose clients may have just sent a request.
			for (const listener of listeners) NetServer.prototype.close.call(listener)
		},
	}
}

/**
 * Waits until no connection waits to be accepted: closing the port resets those, though their clients may have sent a request. Node
 * accepts one per turn of its event loop, so after a short turn without one there are none.
 */
async function allAccepted(server: Server): Promise<void> {
	let accepted = 0
	const count = () => {
		accepted += 1
	}
	server.on('connection', count)
	// The first turn may already have accepted connections before this.
	await nextTurn()
	for (const end = performance.now() + MAX_ACCEPTING_MS; ; ) {
		const [turn, before] = [performance.now(), accepted]
		await nextTurn()
		const now = performance.now()
		if ((accepted === before && now - turn < SHORT_TURN_MS) || now > end) break
	}
	server.off('connection', count)
}

/** A further listening socket of an HTTP server. */
function passingTo(server: Server): NetServer {
	return createServer({ allowHalfOpen: true, noDelay: true }, (socket) => server.emit('connection', socket))
}

function open(listener: NetServer, port: number, address: string): Promise<void> {
	return new Promise((resolve, reject) => {
		listener.once('error', reject)
		listener.listen({ port, host: address, backlog: connectionLimits.backlog }, () => {
			listener.off('error', reject)
			resolve()
		})
	})
}

function refusal({ code, message }: NodeJS.ErrnoException, HOST: string, PORT: number): Error {
	if (code === 'EADDRINUSE')
		return new Error(`Port ${PORT} is taken by another program. Stop that one, or set PORT to another number.`)
	if (code === 'EACCES') return new Error(`This account may not open port ${PORT}. Set PORT to a number above 1023.`)
	return new Error(`HOST=${HOST} and PORT=${PORT} cannot be opened: ${message}.`)
}
