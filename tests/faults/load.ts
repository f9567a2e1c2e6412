import { Agent, type IncomingMessage, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

/** The results of a load. */
export interface LoadFigures {
	/** Requests that were sent or attempted. */
	sent: number
	/** Requests that were accepted but got no response or a 5xx, by reason; `busy` is a 503 that says when to try again. */
	failed: Record<string, number>
	/** Requests that were refused as nobody listened, without being sent. */
	refused: number
	/** The slowest response in milliseconds. */
	slowestMs: number
}

/** A cached page, one that queries the database, and a write, which proxies do not retry. */
const kinds = [
	{ method: 'GET', path: '/forum' },
	{ method: 'GET', path: '/find-dev' },
	{ method: 'GET', path: '/suggest/tags?q=a' },
	{ method: 'POST', path: '/theme' },
]

/** Further requests of members, whose session is looked up each time. */
const kindsOfMembers = [...kinds, { method: 'GET', path: '/messages' }, { method: 'GET', path: '/notifications' }]

export interface LoadOptions {
	/** Concurrent clients. */
	clients?: number
	/** Milliseconds after which a missing response counts as failed. */
	patienceMs?: number
	/** Sessions of members, used by every second client. */
	cookies?: string[]
}

export interface Load {
	/** Milliseconds of the longest think time, in which connections are idle; may be changed at any time. */
	maxThinkMs: number
	stop: () => Promise<LoadFigures>
}

/** Think time with which two dozen clients take a whole processor. */
export const HURRIED_MS = 40

/**
 * Asks a site again and again until it is told to stop: clients that keep their connection, and some that open one for each
 * request, none of which tries anything twice.
 * @param urls addresses of the site; the clients share them out
 */
export function startLoad(urls: string[], { clients = 24, patienceMs = 20_000, cookies = [] }: LoadOptions = {}): Load {
	const figures: LoadFigures = { sent: 0, failed: {}, refused: 0, slowestMs: 0 }
	let isOver = false
	const ask = async (index: number) => {
		const agent = new Agent({ keepAlive: index % 4 !== 0, maxSockets: 1 })
		const cookie = index % 2 === 0 ? cookies[(index / 2) % cookies.length] : undefined
		const asked = cookie ? kindsOfMembers : kinds
		for (let turn = index; !isOver; turn += 1) {
			const { method, path } = asked[turn % asked.length] ?? { method: 'GET', path: '/' }
			const began = performance.now()
			const url = new URL(path, urls[index % urls.length])
			const failure = await outcome({ url, method, cookie }, agent, patienceMs)
			figures.sent += 1
			if (failure === 'ECONNREFUSED') figures.refused += 1
			else if (failure) figures.failed[failure] = (figures.failed[failure] ?? 0) + 1
			else figures.slowestMs = Math.max(figures.slowestMs, Math.round(performance.now() - began))
			await sleep(failure === 'ECONNREFUSED' ? 50 : (((turn * 7) % 40) / 40) * load.maxThinkMs)
		}
		agent.destroy()
	}
	const load: Load = {
		maxThinkMs: HURRIED_MS,
		stop: async () => {
			isOver = true
			await asking
			return figures
		},
	}
	const asking = Promise.all(Array.from({ length: clients }, (_, index) => ask(index)))
	return load
}

/** The number of failed requests. */
export function countFailed({ failed }: LoadFigures): number {
	return Object.values(failed).reduce((sum, count) => sum + count, 0)
}

/** @returns the failure; undefined for a complete response below 500 */
function outcome(
	{ url, method, cookie }: { url: URL; method: string; cookie: string | undefined },
	agent: Agent,
	timeout: number,
): Promise<string | undefined> {
	const body = method === 'POST' ? 'theme=dark&redirectTo=%2Fforum' : ''
	const headers = {
		...(body && { 'Content-Type': 'application/x-www-form-urlencoded', Origin: url.origin }),
		...(cookie && { Cookie: cookie }),
	}
	return new Promise((resolve) => {
		const read = (answer: IncomingMessage) => {
			answer.resume()
			const { statusCode = 0 } = answer
			const reason = statusCode === 503 && answer.headers['retry-after'] ? 'busy' : String(statusCode)
			answer.once('end', () => resolve(statusCode >= 500 ? reason : undefined))
			answer.once('error', ({ message }) => resolve(message))
		}
		const sent = request(url, { method, agent, headers, timeout }, read)
		sent.once('timeout', () => sent.destroy(new Error(`no answer within ${timeout / 1_000} s`)))
		sent.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
		sent.end(body)
	})
}
