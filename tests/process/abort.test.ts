import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type SiteProcess, startSite } from '../support/site-process.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'devquad-abort-'))
let site: SiteProcess

beforeAll(async () => {
	site = await startSite({ DATA_DIR: dataDir, LOG_LEVEL: 'error' })
})

afterAll(async () => {
	await site.stop()
	rmSync(dataDir, { recursive: true, force: true })
})

/** Requests a page over a raw socket and disconnects after this many milliseconds. */
function hangUp(path: string, after: number): Promise<void> {
	return new Promise((resolve) => {
		const { hostname, port } = new URL(site.url)
		const socket = connect(Number(port), hostname, () =>
			socket.write(`GET ${path} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nAccept-Encoding: br\r\n\r\n`),
		)
		socket.on('error', () => {})
		socket.on('close', () => resolve())
		setTimeout(() => socket.destroy(), after)
	})
}

test('disconnects at any moment neither end the process nor log a stack trace', async () => {
	for (let round = 0; round < 10; round += 1) {
		await Promise.all(Array.from({ length: 20 }, (_, index) => hangUp(index % 2 ? '/forum' : '/forum.data', index * 2)))
	}
	expect((await fetch(`${site.url}/forum`)).status).toBe(200)
	expect(site.child.exitCode).toBeNull()
	expect(site.output()).not.toMatch(/at .*\.js:\d+/)
})

test('an upgrade request for another path than the socket is refused', async () => {
	const { hostname, port } = new URL(site.url)
	const answer = await new Promise<string>((resolve) => {
		const socket = connect(Number(port), hostname, () =>
			socket.write(
				`GET /elsewhere HTTP/1.1\r\nHost: ${hostname}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
			),
		)
		let text = ''
		socket.on('data', (chunk) => {
			text += chunk
		})
		socket.on('error', () => {})
		socket.on('close', () => resolve(text))
	})
	expect(answer).not.toContain('101')
})
