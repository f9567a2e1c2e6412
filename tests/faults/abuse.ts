import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/*
 * Malicious clients and bad networks: each function abuses a running site and measures the effect. All are bounded, and for a local site
 * only.
 */

/** Resident memory of a process in megabytes (Linux). */
export function residentMb(pid: number): number {
	const [, kilobytes = '0'] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
	return Number(kilobytes) / 1024
}

/**
 * Uploads that stop in the middle: each announces 5 MB, sends 4 and disconnects.
 * @param cookie of a member's session, as pictures of others are not read
 */
export async function cutOffUploads(url: string, cookie: string, count = 100, atOnce = 10): Promise<void> {
	for (let done = 0; done < count; done += atOnce)
		await Promise.all(Array.from({ length: atOnce }, () => cutOff(url, cookie)))
}

async function cutOff(url: string, cookie: string): Promise<void> {
	const socket = await open(url)
	const megabyte = Buffer.alloc(1024 * 1024, 'x')
	socket.write(
		`POST /media HTTP/1.1\r\nHost: ${new URL(url).host}\r\nOrigin: ${url}\r\nCookie: ${cookie}\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: ${5 * megabyte.length}\r\n\r\n` +
			'--b\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\nContent-Type: image/png\r\n\r\n',
	)
	for (let sent = 0; sent < 4; sent += 1) {
		const taken = new Promise((resolve) => socket.write(megabyte, resolve))
		await Promise.race([taken, once(socket, 'close'), sleep(1_000)])
	}
	socket.destroy()
	await once(socket, 'close')
}

/** Milliseconds that each of several readers waits for a page. */
export async function waitOfOthers(url: string, count = 10): Promise<number[]> {
	const waits: number[] = []
	for (let done = 0; done < count; done += 1) {
		const began = performance.now()
		await (await fetch(`${url}/forum`)).text()
		waits.push(Math.round(performance.now() - began))
	}
	return waits
}

/**
 * Readers who ask for a page again and again and take nothing.
 * @param asks requests that each sends at once
 * @param from network address of this machine that they come from
 * @returns the open connections; they are closed by the site, or by the caller
 */
export function openStalledReaders(url: string, count = 300, asks = 20, from = '127.0.0.1'): Promise<Socket[]> {
	const text = `GET /find-dev HTTP/1.1\r\nHost: ${new URL(url).host}\r\n\r\n`.repeat(asks)
	return Promise.all(
		Array.from({ length: count }, async () => {
			const socket = await open(url, from)
			socket.pause()
			socket.write(text)
			return socket
		}),
	)
}

/** Clients that start a request and then stall. @param beginning of the request, without the `Host` line that it starts with */
export function openStalledRequests(url: string, beginning: string, count = 500): Promise<Socket[]> {
	return Promise.all(
		Array.from({ length: count }, async () => {
			const socket = await open(url)
			socket.resume()
			socket.write(beginning)
			return socket
		}),
	)
}

/** Milliseconds until all of these connections are closed. @throws Error with how many are still open after the time limit */
export async function closedWithin(sockets: Socket[], limitMs: number): Promise<number> {
	const began = performance.now()
	while (sockets.some((socket) => !socket.destroyed)) {
		if (performance.now() - began > limitMs)
			throw new Error(`${sockets.filter((socket) => !socket.destroyed).length} connections are still open.`)
		await sleep(50)
	}
	return Math.round(performance.now() - began)
}

async function open(url: string, localAddress?: string): Promise<Socket> {
	const { hostname, port } = new URL(url)
	const socket = connect({ port: Number(port), host: hostname, localAddress, family: 4 })
	socket.on('error', () => {})
	await once(socket, 'connect')
	return socket
}
