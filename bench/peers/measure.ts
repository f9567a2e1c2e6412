// Asks two forums for the same kinds of pages with the same generator, and counts what their processes needed for that.

/** A kind of page, in the order and by the names of the table. */
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

export interface Ask {
	/** From the site's root. */
	path: string
	headers?: Record<string, string>
	/** Sent as JSON by POST. */
	body?: unknown
	/** A text that a right answer contains, compared without case and without HTML's escapes. */
	shows: string
}

export interface Page {
	asks: Ask[]
	/** Whether an address asked twice would be answered from a cache, so that each is asked once only. */
	once?: boolean
}

/** A forum that is to be measured. */
export interface Peer {
	name: string
	url: string
	/** What it holds, for the reader of the table. */
	content: string
	/** A kind may be missing where the forum has no such page, or does not allow it. */
	pages: Partial<Record<Kind, Page>>
	/** Milliseconds that its processes have had a processor so far; null where the system does not tell. */
	processorTime: () => number | null
}

export interface Rate {
	perSecond: number
	/** Answers for a second of processor; null where that is not known. */
	perProcessorSecond: number | null
}

const connections = 4
const warmUpMs = 1_000
const measuredMs = 6_000

/**
 * Asks for a page again and again. Every address is checked before anything is timed.
 * @throws Error with the address when an answer is not 200 or does not show what it should
 */
export async function rateOf(peer: Peer, page: Page): Promise<Rate> {
	const share = page.once ? Math.ceil(page.asks.length / 10) : page.asks.length
	// Of what can be asked once only, a tenth is checked, and the rest is timed.
	for (const ask of page.asks.slice(0, Math.min(share, 20))) await check(peer, ask)
	if (page.once) return timed(peer, page.asks.slice(share), Number.POSITIVE_INFINITY)
	await timed(peer, page.asks, warmUpMs)
	return timed(peer, page.asks, measuredMs)
}

/** @param forMs how long to ask from the beginning of the list again; infinite to ask each once */
async function timed(peer: Peer, asks: Ask[], forMs: number): Promise<Rate> {
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

async function check(peer: Peer, ask: Ask): Promise<void> {
	const { status, text } = await answerTo(peer, ask)
	const isRight = (status === 200 || status === 201) && plain(text).includes(plain(ask.shows))
	if (!isRight)
		throw new Error(`${peer.name}: ${ask.path} was answered with ${status} and does not show “${ask.shows}”.`)
}

async function answerTo(peer: Peer, { path, headers, body }: Ask): Promise<{ status: number; text: string }> {
	const json = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
	const type: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' }
	const answer = await fetch(peer.url + path, { ...json, headers: { ...type, ...headers }, redirect: 'manual' })
	return { status: answer.status, text: await answer.text() }
}

/** Text that can be compared whether it is in HTML or in JSON. */
function plain(text: string): string {
	return text
		.toLowerCase()
		.replace(/\\u([0-9a-f]{4})/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
		.replace(/&[#\w]+;|[^\p{L}\p{N}]+/gu, ' ')
}
