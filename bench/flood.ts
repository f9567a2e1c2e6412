// Sends as many requests as a server answers, over few connections. Common load generators parse each response in JavaScript and saturate
// at 190 MB/s, before a server that sends cached pages does; this one only counts bytes.
import { connect } from 'node:net'

export interface Flood {
	perSecond: number
	/** Milliseconds from the last byte of the request to the last byte of the response. */
	p50: number
	p99: number
}

const ok = Buffer.from('HTTP/1.1 200 ')
const blank = Buffer.from('\r\n\r\n')

/**
 * Requests an address repeatedly, each connection as soon as it has the response.
 * @throws Error if a response is not 200 or has no length
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

/** @returns the latency of each response in milliseconds */
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

/** The length of a response in bytes, from its first chunk: headers are not split on the loopback interface. */
function lengthOf(chunk: Buffer): number {
	const head = chunk.indexOf(blank) + blank.length
	const length = /\r\ncontent-length: (\d+)/i.exec(chunk.toString('latin1', 0, head))?.[1]
	if (!length) throw new Error('An answer did not say how long it is.')
	return head + Number(length)
}
