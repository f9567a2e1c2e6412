import { Agent, type IncomingMessage, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

/** What became of the requests of a load. */
export interface LoadFigures {
	/** Requests that were sent, or tried to be. */
	sent: number
	/** Those that reached somebody and got no answer, or one of the 5xx; by the reason. */
	failed: Record<string, number>
	/** Those that found nobody listening: nothing of them was sent. */
	refused: number
	/** Milliseconds that the slowest answer took. */
	slowestMs: number
}

/** A kept page, one that asks the database, and something that writes: proxies do not send that a second time. */
const kinds = [
	{ method: 'GET', path: '/forum' },
	{ method: 'GET', path: '/find-dev' },
	{ method: 'GET', path: '/suggest/tags?q=a' },
	{ method: 'POST', path: '/theme' },
]

/** What members ask for besides: their session is looked up each time. */
const kindsOfMembers = [...kinds, { method: 'GET', path: '/messages' }, { method: 'GET', path: '/notifications' }]

export interface LoadOptions {
	/** How many ask at the same time. */
	clients?: number
	/** Milliseconds after which an answer that does not come counts as failed. */
	patienceMs?: number
	/** Of members' sessions: every second client is one of these members. */
	cookies?: string[]
}

/**
 * Asks a site again and again until it is told to stop: clients that keep their connection, and some that open one for each
 * request, none of which tries anything twice.
 * @param urls addresses of the site; the clients share them out
 */
export function startLoad(
	urls: string[],
	{ clients = 24, patienceMs = 20_000, cookies = [] }: LoadOptions = {},
): { stop: () => Promise<LoadFigures> } {
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
			// Somebody who reads for a moment; connections are idle between two requests.
			await sleep(failure === 'ECONNREFUSED' ? 50 : (turn * 7) % 40)
		}
		agent.destroy()
	}
	const asking = Promise.all(Array.from({ length: clients }, (_, index) => ask(index)))
	return {
		stop: async () => {
			isOver = true
			await asking
			return figures
		},
	}
}

/** How many requests of a load failed. */
export function countFailed({ failed }: LoadFigures): number {
	return Object.values(failed).reduce((sum, count) => sum + count, 0)
}

/** @returns what was wrong; undefined for an answer below 500 that came whole */
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
			answer.once('end', () => resolve((answer.statusCode ?? 0) >= 500 ? String(answer.statusCode) : undefined))
			answer.once('error', ({ message }) => resolve(message))
		}
		const sent = request(url, { method, agent, headers, timeout }, read)
		sent.once('timeout', () => sent.destroy(new Error(`no answer within ${timeout / 1_000} s`)))
		sent.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
		sent.end(body)
	})
}
