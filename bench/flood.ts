// As many requests as a server answers, from few connections. The usual load tools parse every byte of every answer in
// JavaScript and reach their own end at 190 MB/s, before the server that hands out kept pages does; this one counts bytes.
import { connect } from 'node:net'

export interface Flood {
	perSecond: number
	/** Milliseconds from the request's last byte out to the answer's last byte in. */
	p50: number
	p99: number
}

const ok = Buffer.from('HTTP/1.1 200 ')
const blank = Buffer.from('\r\n\r\n')

/**
 * Asks for one address again and again, the next time as soon as the answer is there.
 * @throws Error when an answer is not 200 or says no length
 */
export async function flood(
	url: string,
	{ connections, seconds, headers = {} }: { connections: number; seconds: number; headers?: Record<string, string> },
): Promise<Flood> {
	const { hostname, port, pathname, search } = new URL(url)
	const lines = Object.entries({ Host: `${hostname}:${port}`, ...headers }).map(([name, value]) => `${name}: ${value}`)
	const request = Buffer.from(`GET ${pathname}${search} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`)
	const end = performance.now() + seconds * 1_000
	const times = await Promise.all(
		Array.from({ length: connections }, () => askOver({ host: hostname, port: Number(port) }, request, end)),
	)
	const sorted = Float64Array.from(times.flat()).sort()
	const at = (share: number) => Math.round((sorted[Math.floor(sorted.length * share)] ?? 0) * 10) / 10
	return { perSecond: sorted.length / seconds, p50: at(0.5), p99: at(0.99) }
}

/** @returns milliseconds of each answer */
function askOver(address: { host: string; port: number }, request: Buffer, end: number): Promise<number[]> {
	return new Promise((resolve, reject) => {
		const times: number[] = []
		let missing = 0
		let began = performance.now()
		const socket = connect(address, () => socket.write(request))
		socket.setNoDelay(true)
		socket.on('error', reject)
		socket.on('data', (chunk: Buffer) => {
			if (missing === 0) {
				if (!chunk.subarray(0, ok.length).equals(ok))
					return socket.destroy(new Error(`Not answered with 200: ${chunk.toString('latin1', 0, 200)}`))
				missing = lengthOf(chunk)
			}
			missing -= chunk.length
			if (missing > 0) return
			const now = performance.now()
			times.push(now - began)
			began = now
			if (now < end) socket.write(request)
			else socket.end(() => resolve(times))
		})
	})
}

/** Bytes of a whole answer, from its beginning: headers come in one piece from a server on the same machine. */
function lengthOf(chunk: Buffer): number {
	const head = chunk.indexOf(blank) + blank.length
	const length = /\r\ncontent-length: (\d+)/i.exec(chunk.toString('latin1', 0, head))?.[1]
	if (!length) throw new Error('An answer did not say how long it is.')
	return head + Number(length)
}
