import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import { isMissingAddress, listenAddresses } from '../../server/listen.ts'

/** Below the range of outgoing connections (from 32768 on Linux), which could take a port before its site does. */
const FIRST_PORT = 20_000
const BLOCK_COUNT = 240
const BLOCK_SIZE = 50

let claimed: Promise<number> | undefined
let givenCount = 0

/**
 * A free TCP port. It stays free until its caller listens: each process uses a block of ports that no other process has while it
 * lives, and reuses a port only after 48 others.
 * @throws Error when every port of the block is in use
 */
export async function freePort(): Promise<number> {
	claimed ??= claimBlock()
	const first = (await claimed) + 1
	for (let tried = 1; tried < BLOCK_SIZE; tried += 1) {
		const port = first + (givenCount % (BLOCK_SIZE - 1))
		givenCount += 1
		if (await isFree(port)) return port
	}
	throw new Error(`All ports from ${first} to ${first + BLOCK_SIZE - 2} are in use.`)
}

/** Claims a block by listening on its first port while this process lives. @returns that port */
async function claimBlock(): Promise<number> {
	const start = Math.floor(Math.random() * BLOCK_COUNT)
	for (let tried = 0; tried < BLOCK_COUNT; tried += 1) {
		const port = FIRST_PORT + ((start + tried) % BLOCK_COUNT) * BLOCK_SIZE
		try {
			;(await listenOn(port, '127.0.0.1')).unref()
			return port
		} catch {
			// Another process has this block.
		}
	}
	throw new Error('Every block of ports is claimed.')
}

async function isFree(port: number): Promise<boolean> {
	try {
		await claimPort({ HOST: 'localhost', PORT: port })
		return true
	} catch {
		return false
	}
}

/** @throws Error with one sentence when the port is taken */
export async function claimPort({ HOST, PORT }: { HOST: string; PORT: number }): Promise<void> {
	for (const address of listenAddresses(HOST)) {
		try {
			const server = await listenOn(PORT, address)
			await once(server.close(), 'close')
		} catch (error) {
			if (isMissingAddress(error)) continue
			throw new Error(
				`Port ${PORT} of ${HOST} cannot be opened. Stop what listens there, or set PORT to another number.`,
			)
		}
	}
}

async function listenOn(port: number, address: string): Promise<Server> {
	const server = createServer().listen(port, address)
	await once(server, 'listening')
	return server
}
