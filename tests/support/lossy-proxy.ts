import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface LossyProxy {
	url: string
	/** From now on drops everything in both directions without closing connections, as a dead network does. */
	lose: () => void
	/** Restores the network; what was dropped stays lost. */
	mend: () => void
	stop: () => Promise<void>
}

/** A TCP proxy in front of the site at `url` that can lose its network. */
export async function startLossyProxy(url: string): Promise<LossyProxy> {
	const { hostname, port } = new URL(url)
	const sockets = new Set<Socket>()
	let isLost = false
	const pass = (from: Socket, to: Socket) => {
		sockets.add(from)
		from.on('data', (chunk) => isLost || to.write(chunk))
		from.on('close', () => isLost || to.destroy())
		from.on('error', () => {})
	}
	const server = createServer((near) => {
		const far = connect(Number(port), hostname)
		pass(near, far)
		pass(far, near)
	}).listen(0, 'localhost')
	await once(server, 'listening')
	return {
		url: `http://localhost:${(server.address() as AddressInfo).port}`,
		lose: () => {
			isLost = true
		},
		mend: () => {
			isLost = false
		},
		stop: async () => {
			for (const socket of sockets) socket.destroy()
			server.close()
			await once(server, 'close')
		},
	}
}
