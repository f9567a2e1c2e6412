import { isbot } from 'isbot'
import { log } from '~/lib/log.server.ts'
import { db } from '~/platform/db/db.server.ts'
import type { PageRead } from '~/platform/feature.ts'
import { mondayOf } from '~/platform/settings/region.server.ts'
import { addQuestionReads, addReads } from './usage.queries.server.ts'
import type { ReadKind } from './usage.view.ts'

/*
 * Counts page views in memory, and adds them to the week's numbers twice a minute. Nothing about the reader is stored. A crash loses half a
 * minute of counting.
 */

const FLUSH_MS = 30_000
/** Questions counted between two flushes; views of further ones are only counted in total. */
const MAX_QUESTIONS = 10_000
const MAX_AGENTS = 1_000

const reads = new Map<ReadKind, number>()
const questionReads = new Map<number, number>()
const agents = new Map<string, boolean>()

const QUESTION = /^\/forum\/(?!category\/|tag\/|history\/|invite\/|comment\/)[^/]+\/[^/]+\/([1-9]\d{0,8})(?:\/[^/]*)?$/

const kinds: readonly [RegExp, ReadKind][] = [
	[QUESTION, 'question'],
	[/^\/forum(\/(tags|categories|(category|tag)\/[^/]+))?$/, 'list'],
	[/^\/search$/, 'search'],
	[/^\/find-dev$/, 'community'],
	[/^\/(find-dev|my-profile)\/[^/]+$/, 'profile'],
	[/^\/$/, 'home'],
]

/** Counts a view, unless it is by a search engine, a prefetch, or only of a page's frame. */
export function recordRead({ url, userAgent = '', isPrefetch }: PageRead): void {
	if (isPrefetch || /[?&]_routes=root(&|$)/.test(url)) return
	// Data requests have the page's address with a suffix.
	const path = url.replace(/\?.*$/s, '').replace(/(^\/_root|\/_)?\.data$/, '') || '/'
	const found = kinds.find(([pattern]) => pattern.test(path))
	if (!found || isProgram(userAgent)) return
	const [, kind] = found
	reads.set(kind, (reads.get(kind) ?? 0) + 1)
	if (kind !== 'question') return
	const id = Number(QUESTION.exec(path)?.[1])
	if (questionReads.has(id) || questionReads.size < MAX_QUESTIONS)
		questionReads.set(id, (questionReads.get(id) ?? 0) + 1)
}

function isProgram(userAgent: string): boolean {
	const known = agents.get(userAgent)
	if (known !== undefined) return known
	if (agents.size >= MAX_AGENTS) agents.clear()
	const found = userAgent === '' || isbot(userAgent)
	agents.set(userAgent, found)
	return found
}

/** Adds the counts to the stored numbers. If that fails, they are kept for the next time. */
export async function storeReads(): Promise<void> {
	if (reads.size === 0) return
	const [pages, questions] = [new Map(reads), new Map(questionReads)]
	reads.clear()
	questionReads.clear()
	try {
		await db()
			.transaction()
			.execute(async (trx) => {
				const week = mondayOf()
				await addReads(trx, week, pages)
				await addQuestionReads(trx, week, questions)
			})
	} catch (error) {
		for (const [kind, count] of pages) reads.set(kind, (reads.get(kind) ?? 0) + count)
		for (const [id, count] of questions) questionReads.set(id, (questionReads.get(id) ?? 0) + count)
		throw error
	}
}

/** Starts storing the counts periodically. @returns a function that stops it after a last flush */
export async function startCounting(): Promise<() => Promise<void>> {
	let last = Promise.resolve()
	const store = () => {
		last = last.then(storeReads).catch((error) => log.warn({ err: error }, 'counted reads could not be stored'))
		return last
	}
	const timer = setInterval(store, FLUSH_MS).unref()
	return async () => {
		clearInterval(timer)
		await store()
	}
}
