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

/**
 * Asks a site again and again until it is told to stop: clients that keep their connection, and some that open one for each
 * request, none of which tries anything twice.
 * @param urls addresses of the site; the clients share them out
 * @param clients how many ask at the same time
 */
export function startLoad(urls: string[], clients = 24): { stop: () => Promise<LoadFigures> } {
	const figures: LoadFigures = { sent: 0, failed: {}, refused: 0, slowestMs: 0 }
	let isOver = false
	const ask = async (index: number) => {
		const agent = new Agent({ keepAlive: index % 4 !== 0, maxSockets: 1 })
		for (let turn = index; !isOver; turn += 1) {
			const { method, path } = kinds[turn % kinds.length] ?? { method: 'GET', path: '/' }
			const began = performance.now()
			const failure = await outcome(new URL(path, urls[index % urls.length]), method, agent)
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
function outcome(url: URL, method: string, agent: Agent): Promise<string | undefined> {
	const body = method === 'POST' ? 'theme=dark&redirectTo=%2Fforum' : ''
	const headers = method === 'POST' ? { 'Content-Type': 'application/x-www-form-urlencoded', Origin: url.origin } : {}
	return new Promise((resolve) => {
		const read = (answer: IncomingMessage) => {
			answer.resume()
			answer.once('end', () => resolve((answer.statusCode ?? 0) >= 500 ? String(answer.statusCode) : undefined))
			answer.once('error', ({ message }) => resolve(message))
		}
		const sent = request(url, { method, agent, headers, timeout: 20_000 }, read)
		sent.once('timeout', () => sent.destroy(new Error('no answer within 20 s')))
		sent.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
		sent.end(body)
	})
}
