import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { addressesOf, isMissingAddress } from '../../server/listen.ts'

/** So many TCP ports of this machine that nobody listens on at this moment, each another. */
export async function freePorts(count: number): Promise<number[]> {
	const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'))
	await Promise.all(servers.map((server) => once(server, 'listening')))
	const ports = servers.map((server) => (server.address() as AddressInfo).port)
	await Promise.all(servers.map((server) => once(server.close(), 'close')))
	return ports
}

/** @throws Error with one sentence when the port is taken */
export async function claimPort({ HOST, PORT }: { HOST: string; PORT: number }): Promise<void> {
	for (const address of addressesOf(HOST)) {
		const server = createServer()
		try {
			await once(server.listen(PORT, address), 'listening')
		} catch (error) {
			if (isMissingAddress(error)) continue
			throw new Error(
				`Port ${PORT} of ${HOST} cannot be opened. Stop what listens there, or set PORT to another number.`,
			)
		}
		await once(server.close(), 'close')
	}
}
