// Measures the same kinds of pages of two forums with the same load generator, with the processor time of their processes.

/** Kinds of pages, as named in the table and in its order. */
export const KINDS = [
	'visitors: list, cached',
	'visitors: 200 different topics',
	'member: list, HTML',
	'member: topic, HTML',
	'member: profile, HTML',
	'member: list, data',
	'people search, HTML',
	'people search, data',
	'full-text search of distinct words, HTML',
	'full-text search of distinct words, data',
	'a comment by the API',
] as const
export type Kind = (typeof KINDS)[number]

export interface PeerRequest {
	/** Relative to the site's root. */
	path: string
	headers?: Record<string, string>
	/** A JSON body for a POST. */
	body?: unknown
	/** A text that a valid response contains; case and HTML escapes are ignored. */
	shows: string
}

export interface Page {
	asks: PeerRequest[]
	/** Whether a second response could come from a cache, so that each address is requested once. */
	once?: boolean
}

/** A forum to be measured. */
export interface Peer {
	name: string
	url: string
	/** Its content, for the heading of the table. */
	content: string
	/** A kind is missing if the forum has no such page, or does not allow it. */
	pages: Partial<Record<Kind, Page>>
	/** Processor milliseconds of its processes so far; null if unknown. */
	processorTime: () => number | null
}

export interface Rate {
	perSecond: number
	/** Responses per processor second; null if unknown. */
	perProcessorSecond: number | null
}

const connections = 4
const warmUpMs = 1_000
const measuredMs = 6_000

/**
 * Requests a page repeatedly. Each address is checked before anything is timed.
 * @throws Error with the address if a response is not 200 or lacks the expected text
 */
export async function rateOf(peer: Peer, page: Page): Promise<Rate> {
	const share = page.once ? Math.ceil(page.asks.length / 10) : page.asks.length
	// Of addresses that can be requested once only, a tenth is checked, and the rest is timed.
	for (const ask of page.asks.slice(0, Math.min(share, 20))) await check(peer, ask)
	if (page.once) return timed(peer, page.asks.slice(share), Number.POSITIVE_INFINITY)
	await timed(peer, page.asks, warmUpMs)
	return timed(peer, page.asks, measuredMs)
}

/** @param forMs the duration, over which the list repeats; infinite to request each once */
async function timed(peer: Peer, asks: PeerRequest[], forMs: number): Promise<Rate> {
	const began = performance.now()
	const before = peer.processorTime()
	let answers = 0
	let next = 0
	const visit = async () => {
		while (forMs === Number.POSITIVE_INFINITY ? next < asks.length : performance.now() - began < forMs) {
			const ask = asks[next++ % asks.length]
			if (!ask) return
			const { status } = await answerTo(peer, ask)
			if (status !== 200 && status !== 201) throw new Error(`${peer.name}: ${ask.path} was answered with ${status}.`)
			answers += 1
		}
	}
	await Promise.all(Array.from({ length: connections }, visit))
	const after = peer.processorTime()
	return {
		perSecond: answers / ((performance.now() - began) / 1_000),
		perProcessorSecond: before === null || after === null ? null : answers / ((after - before) / 1_000),
	}
}

async function check(peer: Peer, ask: PeerRequest): Promise<void> {
	const { status, text } = await answerTo(peer, ask)
	const isRight = (status === 200 || status === 201) && plain(text).includes(plain(ask.shows))
	if (!isRight)
		throw new Error(`${peer.name}: ${ask.path} was answered with ${status} and does not show “${ask.shows}”.`)
}

async function answerTo(peer: Peer, { path, headers, body }: PeerRequest): Promise<{ status: number; text: string }> {
	const json = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
	const type: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' }
	const answer = await fetch(peer.url + path, { ...json, headers: { ...type, ...headers }, redirect: 'manual' })
	return { status: answer.status, text: await answer.text() }
}

/** Normalizes HTML and JSON to comparable text. */
function plain(text: string): string {
	return text
		.toLowerCase()
		.replace(/\\u([0-9a-f]{4})/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
		.replace(/&[#\w]+;|[^\p{L}\p{N}]+/gu, ' ')
}
