import { requireModerator } from '~/features/moderation/members.server.ts'
import type { parseSearch } from '~/features/search/search.server.ts'
import { findTerm } from '~/features/terms/terms.server.ts'
import { log } from '~/lib/log.server.ts'
import { remember } from '~/lib/remember.ts'
import type { Viewer } from '~/lib/viewer.ts'
import { counter } from '~/platform/metrics/metrics.server.ts'
import type { MissView } from './finder.view.ts'
import { listMissRows, writeMiss } from './misses.queries.server.ts'

/*
 * Searches without results show which terms the site lacks. Only the words, the day and a count are stored: nothing about who searched, and
 * no words that may be personal.
 */

/** Days that searches are stored. */
export const MISS_DAYS = 90
const MAX_SHOWN = 100
const MAX_WORDS = 6
const MAX_WORD_LENGTH = 30
/** Of all words together, in characters. */
const MIN_LENGTH = 2
const MAX_LENGTH = 60

/** Opening the same page again within this time is not counted, in milliseconds. */
const REPEAT_MS = 60_000
const MAX_REMEMBERED = 1_000
const lately = remember('missed searches', () => new Map<string, number>())

/** A plain word or name, perhaps with a version. */
const plainWord = /^[\p{L}\p{M}\p{N}+#._/'’-]+$/u
/** Long numbers such as a phone's, mixtures of letters and digits such as passwords and tokens, and addresses. */
const telling = /\d{5,}|^(?=.*\d.*\d.*\d)(?=.*\p{L}).{10,}$|^[0-9a-f]{16,}$|:\/\/|^www\./iu

/**
 * The words of a search to record: lower case, in order. null if they are too long or too many, or one may be an address, a number or a
 * secret; then nothing is recorded.
 */
export function missWords({ terms }: Pick<ReturnType<typeof parseSearch>, 'terms'>): string | null {
	const words = terms
		.filter(({ kind }) => kind === 'word' || kind === 'phrase')
		.flatMap(({ text }) => text.normalize('NFKC').toLowerCase().split(/\s+/))
		.map((word) => word.replace(/^[,;:!?.()]+|[,;:!?.()]+$/g, ''))
		.filter(Boolean)
	const isKept = (word: string) => plainWord.test(word) && !telling.test(word) && word.length <= MAX_WORD_LENGTH
	const text = words.join(' ')
	const fits = words.length <= MAX_WORDS && text.length >= MIN_LENGTH && text.length <= MAX_LENGTH
	return fits && words.every(isKept) ? text : null
}

const countMiss = counter('devquad_searches_without_result_total', 'Searches of the whole site that found nothing.')

/** Records a search without results, in the background. */
export function recordMiss(parsed: Parameters<typeof missWords>[0]): void {
	countMiss()
	const words = missWords(parsed)
	if (words === null) return
	const now = Date.now()
	if (now - (lately.get(words) ?? 0) < REPEAT_MS) return
	lately.delete(words)
	lately.set(words, now)
	const [oldest] = lately.keys()
	if (lately.size > MAX_REMEMBERED && oldest !== undefined) lately.delete(oldest)
	writeMiss(words).catch((error) => log.warn({ err: error }, 'a search without results could not be recorded'))
}

/** Searches without results, most frequent first, at most 100. @throws NotAllowed for all but moderators */
export async function listMisses(viewer: Viewer): Promise<MissView[]> {
	requireModerator(viewer)
	const rows = await listMissRows(MISS_DAYS, MAX_SHOWN)
	return rows.map(({ words, searches, last_day: lastDay }) => ({
		words,
		searches,
		lastDay,
		isTerm: findTerm(words) !== undefined,
	}))
}
