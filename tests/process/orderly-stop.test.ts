import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { countFailed } from '../faults/load.ts'
import { stopEachWorker, stopTheProcess } from '../faults/orderly-stop.ts'
import { eventually } from '../support/eventually.ts'
import { makeSites } from '../support/sites.ts'

/*
 * Stopping a site under load. Three rounds with four workers are in tests/faults; three nodes behind nginx in rolling-restarts.db.test.ts.
 */

const { newDataDir, start } = makeSites({ SEED: 'none' })

test('either of two workers can be stopped under load without a failed request', async () => {
	const rounds = await stopEachWorker(1, 2)
	expect(rounds).toHaveLength(1)
	for (const { failed, refused, sent } of rounds) {
		const { busy = 0, ...lost } = failed
		expect(lost).toEqual({})
		expect(refused).toBe(0)
		expect(sent).toBeGreaterThan(50)
		// Beside the other tests, a new process may need more than three seconds to connect to PostgreSQL, and says so.
		expect(busy).toBeLessThan(sent / 20)
	}
})

test('a site with one process responds to every accepted connection', async () => {
	const [figures] = await stopTheProcess(1)
	// A connection made in the millisecond in which the port closes is too late.
	expect(figures && countFailed(figures), JSON.stringify(figures)).toBeLessThanOrEqual(1)
	expect(figures?.sent).toBeGreaterThan(20)
})

test('while stopping it serves open connections and closes them, reports "draining", and completes pending requests', async () => {
	const site = await start({ DATA_DIR: newDataDir() })
	const { port } = new URL(site.url)
	const body = 'theme=dark'
	const head = `Host: localhost:${port}\r\n`
	const [slow, probe] = [open(port), open(port)]
	slow.write(
		`POST /theme HTTP/1.1\r\n${head}Origin: ${site.url}\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${body.length}\r\n\r\nthe`,
	)
	probe.write(`GET /readyz HTTP/1.1\r\n${head}\r\n`)
	await eventually(() => expect(probe.text()).toMatch(/^HTTP\/1\.1 200 OK.*Connection: keep-alive.*ready$/is))
	const stopped = site.stop()
	probe.write('GET /readyz HTTP/1.1\r\n')
	// The port closes now or in a moment; the existing connection still gets a response. Its request comes line by line, as a connection
	// without any news for a second is closed.
	await eventually(() => {
		probe.write('X-Line: next\r\n')
		return expect(reaches(port)).resolves.toBe(false)
	})
	probe.write(`${head}\r\n`)
	await eventually(() => expect(probe.text()).toMatch(/HTTP\/1\.1 503.*Connection: close.*draining$/is))
	slow.write(body.slice(3))
	await eventually(() => expect(slow.text()).toMatch(/^HTTP\/1\.1 30\d.*Connection: close/is))
	expect(await stopped).toBe(0)
})

function open(port: string) {
	let text = ''
	const socket = connect(Number(port), '127.0.0.1')
	socket.on('error', () => {})
	socket.on('data', (chunk) => {
		text += chunk
	})
	return { write: (line: string) => socket.write(line), text: () => text }
}

function reaches(port: string): Promise<boolean> {
	return new Promise((resolve) => {
		const socket = connect(Number(port), '127.0.0.1')
		socket.once('connect', () => {
			socket.destroy()
			resolve(true)
		})
		socket.once('error', () => resolve(false))
	})
}
