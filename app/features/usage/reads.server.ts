import { isbot } from 'isbot'
import { log } from '~/lib/log.server.ts'
import { db } from '~/platform/db/db.server.ts'
import type { Read } from '~/platform/feature.ts'
import { mondayOf } from '~/platform/settings/region.server.ts'
import { addQuestionReads, addReads } from './usage.queries.server.ts'
import type { ReadKind } from './usage.view.ts'

/*
 * Counts in memory what is read, and adds it to the figures of the week twice a minute. Who read is not noted anywhere; a process that is
 * killed loses half a minute of counting.
 */

const FLUSH_MS = 30_000
/** Questions counted between two flushes; what is read beyond that counts as a question, and not for which. */
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

/** Counts a read, if it is one of a page that counts: not that of a search engine, nor of the frame around a page alone. */
export function noteRead({ url, userAgent = '', isAhead }: Read): void {
	if (isAhead || /[?&]_routes=root(&|$)/.test(url)) return
	// The data of a page is asked for by its address with an ending.
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

/** Adds what was counted since the last time to the figures. What cannot be stored is counted on. */
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

/** Stores what is read from time to time, until it is stopped. @returns what stops it, after the last of it was stored */
export async function startCounting(): Promise<() => Promise<void>> {
	let last = Promise.resolve()
	const store = () => {
		last = last.then(storeReads).catch((error) => log.warn({ err: error }, 'what was read could not be stored'))
		return last
	}
	const timer = setInterval(store, FLUSH_MS).unref()
	return async () => {
		clearInterval(timer)
		await store()
	}
}
