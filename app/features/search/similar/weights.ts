/*
 * The weights of the words of a question: round numbers, chosen by inspecting a set of real questions
 * (docs/decisions/0019-similar-questions.md). Both halves of the set favour the same values, and none is specific to a
 * word.
 */

/** BM25's k1, for a title of average length. */
export const bm25K1 = 1.2
/** The weight of BM25 over the whole text, relative to BM25 of the title. */
export const textWeight = 0.25
/** The expected share of a word's weight outside the title, when choosing candidates. */
const bodyWeight = 0.5
/** The weight of the spelling of titles, relative to the words. */
export const spellingWeight = 0.3
/** The weight of a word that is only in the new question's description, relative to its title. */
const descriptionWeight = 0.3

/** Words of a question that count: the rarest of its title, then of its description. */
const MAX_TITLE_WORDS = 20
const MAX_DESCRIPTION_WORDS = 10
/** Words that are probed on their own, in titles and anywhere. */
const MAX_PROBED = 10
/** A word in more questions than this is probed only together with another. */
const common = 1_000
/**
 * Words that are probed in pairs when one of the two is common. In titles, which have few words, any two of them tell much and cost little;
 * most pairs of a longer text are chance, and would crowd out titles.
 */
const MAX_PAIRED = { inTitles: 10, anywhere: 3 }
/** Questions that a pair's probe reads. */
const MAX_OF_PAIR = 200

/** Where both words of a pair are in more questions than this, only the newest titles are probed. */
const veryCommon = 50_000

/** A word of a question. */
export interface WeightedWord {
	word: string
	weight: number
	/** The number of questions with it, as far as is known. */
	documents: number
}

/** A bounded index lookup: questions with all of these words. */
export interface Probe {
	words: string[]
	weight: number
	titleOnly: boolean
	limit: number
	/** Whether to search only the newest questions, some 20,000. */
	newest: boolean
}

interface Counted {
	word: string
	titled: boolean
	documents: number
	/** Less than 1 for a corrected spelling. */
	share?: number
}

/**
 * The words that count, heaviest first.
 * @param sampled the number of questions in which `documents` was counted
 * @param questions the number of all questions
 */
export function weigh(
	counted: Counted[],
	{ sampled, questions }: { sampled: number; questions: number },
): WeightedWord[] {
	const rarity = ({ documents }: Counted) => Math.log(1 + (sampled - documents + 0.5) / (documents + 0.5))
	const words = counted
		.map((word) => ({
			word: word.word,
			titled: word.titled,
			weight: Math.max(0.01, rarity(word)) * (word.share ?? 1) * (word.titled ? 1 : descriptionWeight),
			documents: sampled === 0 ? 0 : Math.round((word.documents * questions) / sampled),
		}))
		.toSorted((one, other) => other.weight - one.weight || (one.word < other.word ? -1 : 1))
	const best = (titled: boolean, limit: number) => words.filter((word) => word.titled === titled).slice(0, limit)
	return [...best(true, MAX_TITLE_WORDS), ...best(false, MAX_DESCRIPTION_WORDS)]
		.map(({ word, weight, documents }) => ({ word, weight, documents }))
		.toSorted((one, other) => other.weight - one.weight)
}

/**
 * The probes for these words; together they read at most 30,000 rows. Where more questions probably have a pair than are read, only the
 * newest are probed: choosing the newest of all would read each. Titles have far fewer pairs: those of any two words are probed in all,
 * unless both are very common.
 * @param questions the number of all questions
 */
export function probesOf(words: WeightedWord[], questions: number): Probe[] {
	const rare = words.filter(({ documents }) => documents <= common).slice(0, MAX_PROBED)
	const single = rare.flatMap(({ word, weight }) => [
		{ words: [word], weight, titleOnly: true, limit: common, newest: false },
		{ words: [word], weight: weight * bodyWeight, titleOnly: false, limit: common, newest: false },
	])
	const inTitles = pairsOf(words, MAX_PAIRED.inTitles).map(([one, other]) => ({
		words: [one.word, other.word],
		weight: one.weight + other.weight,
		titleOnly: true,
		limit: MAX_OF_PAIR,
		newest: Math.min(one.documents, other.documents) > veryCommon,
	}))
	const anywhere = pairsOf(words, MAX_PAIRED.anywhere).map(([one, other]) => ({
		words: [one.word, other.word],
		weight: (one.weight + other.weight) * bodyWeight,
		titleOnly: false,
		limit: MAX_OF_PAIR,
		newest: one.documents * other.documents > MAX_OF_PAIR * questions,
	}))
	return [...single, ...inTitles, ...anywhere]
}

/** The pairs of the heaviest words of which at least one is not probed by itself. */
function pairsOf(words: WeightedWord[], most: number): [WeightedWord, WeightedWord][] {
	const heaviest = words.slice(0, most)
	return heaviest.flatMap((one, index) =>
		heaviest
			.slice(index + 1)
			.filter((other) => one.documents > common || other.documents > common)
			.map((other): [WeightedWord, WeightedWord] => [one, other]),
	)
}

/**
 * The similarity of two spellings, from 0 to 1: the cosine of their sets of trigrams, which a typo, a split compound or another
 * ending changes little.
 */
export function trigramSimilarity(one: Set<string>, other: Set<string>): number {
	if (one.size === 0 || other.size === 0) return 0
	let both = 0
	for (const piece of one) if (other.has(piece)) both += 1
	return both / Math.sqrt(one.size * other.size)
}

/** The trigrams of a text's words, each word with a space before and after. */
export function trigramsOf(text: string): Set<string> {
	const pieces = new Set<string>()
	for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
		const padded = ` ${word} `
		for (let from = 0; from + 3 <= padded.length; from += 1) pieces.add(padded.slice(from, from + 3))
	}
	return pieces
}

/** A question with its score. */
export interface Ranked {
	id: number
	score: number
}

/**
 * Subtracts what was added to all candidates alike. A general title is similar to any text of a forum: without this,
 * the same threshold shows everything for one question and nothing for another.
 * @param before scores without the addition
 * @param after scores with it; equal ones had nothing added
 * @returns best first
 */
export function withoutCommon(before: Ranked[], after: Ranked[]): Ranked[] {
	const scores = new Map(before.map(({ id, score }) => [id, score]))
	const added = ({ id, score }: Ranked) => score - (scores.get(id) ?? 0)
	const known = after.map(added).filter((share) => share !== 0)
	const common = known.reduce((sum, share) => sum + share, 0) / Math.max(1, known.length)
	return after
		.map((one) => ({ id: one.id, score: one.score - (added(one) === 0 ? 0 : common) }))
		.toSorted((one, other) => other.score - one.score || other.id - one.id)
}
