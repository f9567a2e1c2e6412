import type { RawBuilder } from 'kysely'
import { isId } from '~/lib/checks.ts'
import { NoSuch } from '~/lib/errors.ts'
import type { Viewer } from '~/lib/viewer.ts'
import { highlight, highlightPassage, textOfTruncatedHtml } from '../highlight.ts'
import type { SimilarView } from '../search.view.ts'
import { questionUrl } from '../search.view.ts'
import { beginMeaning } from './meaning.server.ts'
import {
	findCandidates,
	insertHelped,
	readSimilar,
	readSpellings,
	readTotals,
	readWords,
	type SimilarCandidate,
	type SimilarRow,
	visibleExcept,
	type WordRow,
} from './similar.queries.server.ts'
import {
	probesOf,
	type Ranked,
	spellingWeight,
	trigramSimilarity,
	trigramsOf,
	weigh,
	withoutCommon,
} from './weights.ts'

interface Asked {
	title: string
	description?: string
	/** The maximum number of results. */
	limit?: number
	/** The minimum score of a result. */
	least?: number
	/** Whether meaning counts, if the site has an encoder. */
	byMeaning?: boolean
}

/** Characters of title and description that are read; a longer description repeats itself. */
const MAX_TITLE_READ = 300
const MAX_DESCRIPTION_READ = 4_000
/** Questions that are scored word by word. */
const MAX_SCORED = 60
/** Below this, hardly any question is similar (docs/decisions/0019). */
const MIN_SCORE_SHOWN = 0.2
/** Unknown words that are checked for typos. */
const MAX_TYPOS = 4
/** Milliseconds that a job waits for the meaning of a title; readers wait for less. */
const MAX_MEANING_WAIT_MS = 5_000
/** The share of a word's weight for a corrected spelling. */
const meantShare = 0.6

/**
 * Questions similar to one that is being written, best first: by shared words, weighted by rarity, above all in titles;
 * then by the spelling of titles, and by meaning if that is known within 20 ms. Four or five statements, each bounded
 * whatever the size of the forum.
 * @returns none for a title without a significant word
 */
export async function findSimilar({
	title,
	description = '',
	limit = 5,
	least = MIN_SCORE_SHOWN,
	byMeaning = true,
}: Asked): Promise<SimilarView[]> {
	const byAll = byMeaning ? beginMeaning(clean(title, MAX_TITLE_READ)) : async (ranked: Ranked[]) => ranked
	const { best, words } = await rankByWords(title, description)
	const shown = (await byAll(best)).filter(({ score }) => score >= least).slice(0, limit)
	if (shown.length === 0) return []
	const rows = await readSimilar(shown.map(({ id }) => id))
	return shown.flatMap(({ id, score }) => rows.filter((row) => row.id === id).map((row) => present(row, score, words)))
}

/**
 * Other published questions similar to a stored one, best first, as {@link findSimilar} finds them, but waiting for the meaning of
 * its title. Meaning counts only as far as it distinguishes them from each other.
 * @param least the minimum score
 */
export async function rankSimilar(
	{ id, title, description }: { id: number; title: string; description: string },
	{ limit, least }: { limit: number; least: number },
): Promise<Ranked[]> {
	const byAll = beginMeaning(clean(title, MAX_TITLE_READ), MAX_MEANING_WAIT_MS)
	const { best } = await rankByWords(title, description, visibleExcept(id))
	return withoutCommon(best, await byAll(best))
		.filter(({ score }) => score >= least)
		.slice(0, limit)
}

/**
 * Questions with any of the words of a title and a description, those with the rarest in their titles first.
 * @param condition on `questions q`; published by default
 */
export async function rankByWords(
	title: string,
	description: string,
	condition?: RawBuilder<unknown>,
): Promise<{ best: Ranked[]; words: string[] }> {
	const text = clean(title, MAX_TITLE_READ)
	const [rows, totals] = await Promise.all([readWords(text, clean(description, MAX_DESCRIPTION_READ)), readTotals()])
	const typed = rows.filter(({ titled, documents }) => titled || documents !== null)
	const meant = await findCorrections(typed)
	const words = weigh([...typed.map((row) => ({ ...row, documents: row.documents ?? 1 })), ...meant], totals)
	if (words.length === 0) return { best: [], words: [] }
	const candidates = await findCandidates(probesOf(words, totals.questions), words, MAX_SCORED, condition)
	const whole = words.reduce(
		(sum, { word, weight }) => sum + (meant.some((each) => each.word === word) ? 0 : weight),
		0,
	)
	return { best: rank(candidates, text, whole), words: words.map(({ word }) => word) }
}

/**
 * Stores that a question had the answer, once per member and question.
 * @returns its address
 * @throws NotFound
 */
export async function recordHelped(viewer: Viewer, id: number): Promise<{ url: string }> {
	const question = isId(id) ? await insertHelped(id, viewer?.id ?? null) : undefined
	if (!question) throw new NoSuch('query')
	return { url: questionUrl(question) }
}

/** Possible corrections of the title's unknown words. */
async function findCorrections(typed: WordRow[]) {
	const unknown = typed.filter(({ word, titled, documents }) => titled && documents === null && word.length >= 4)
	if (unknown.length === 0) return []
	const known = new Set(typed.map(({ word }) => word))
	const found = await readSpellings(unknown.slice(0, MAX_TYPOS).map(({ word }) => word))
	// Two typed words may have the same correction.
	const unique = new Map(found.filter(({ meant }) => !known.has(meant)).map((near) => [near.meant, near]))
	return [...unique.values()].map(({ meant, documents }) => ({
		word: meant,
		titled: true,
		documents,
		share: meantShare,
	}))
}

/** @param whole the total weight of all words, the score of a question that has each of them everywhere */
function rank(candidates: SimilarCandidate[], text: string, whole: number): Ranked[] {
	const pieces = trigramsOf(text)
	return candidates
		.map(({ id, title, score }) => ({
			id,
			score: score / whole + spellingWeight * trigramSimilarity(pieces, trigramsOf(title)),
		}))
		.toSorted((one, other) => other.score - one.score || other.id - one.id)
}

function clean(text: string, length: number): string {
	return text.slice(0, length).replaceAll('\u0000', ' ').toWellFormed()
}

function present(row: SimilarRow, score: number, words: string[]): SimilarView {
	const titleHtml = highlight(row.title, words)
	const passage = highlightPassage(textOfTruncatedHtml(row.description_start), words, 160)
	const shows = (html: string) => html.includes('<mark>')
	return {
		id: row.id,
		url: questionUrl(row),
		title: row.title,
		titleHtml,
		...(!shows(titleHtml) && shows(passage) ? { excerptHtml: passage } : {}),
		solved: row.solved,
		commentCount: row.comment_count,
		score,
	}
}
