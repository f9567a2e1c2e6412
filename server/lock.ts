import { createHash } from 'node:crypto'
import { rmSync } from 'node:fs'
import { createServer, type Server, Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Takes a data directory for this process alone. The lock is a local socket, so it ends with the process, however that ends.
 * @param dataDir absolute path
 * @returns what releases it
 * @throws Error with one sentence when another process holds it
 */
export async function lockDataDir(dataDir: string): Promise<() => void> {
	const name = `devquad-lock-${createHash('sha256').update(dataDir).digest('hex').slice(0, 16)}`
	// Linux has sockets without a file (the leading NUL): the kernel gives each name once and takes it back by itself.
	const address =
		process.platform === 'linux'
			? `\0${name}`
			: process.platform === 'win32'
				? `\\\\.\\pipe\\${name}`
				: join(tmpdir(), `${name}.sock`)
	const server = await hold(address).catch(async (error: NodeJS.ErrnoException) => {
		if (error.code !== 'EADDRINUSE' || (await isHeld(address))) {
			throw new Error(`Another DevQuad is already running on ${dataDir}. Stop it first, or choose another DATA_DIR.`)
		}
		rmSync(address, { force: true })
		return hold(address)
	})
	return () => server.close()
}

function hold(address: string): Promise<Server> {
	return new Promise((resolve, reject) => {
		const server = createServer((socket) => socket.end())
		server.once('error', reject)
		server.listen(address, () => resolve(server.unref()))
	})
}

function isHeld(address: string): Promise<boolean> {
	return new Promise((resolve) => {
		const socket = new Socket()
		socket.once('connect', () => resolve(socket.destroy() !== undefined))
		socket.once('error', () => resolve(false))
		socket.connect(address)
	})
}
