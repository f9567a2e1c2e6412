import { ENCODED_WIDTH, encode, hasEncoder } from '~/platform/encoder/encoder.server.ts'
import { readUnencoded, readVectors, storeVector } from './vectors.queries.server.ts'
import type { Ranked } from './weights.ts'

/*
 * What the meaning of texts adds to the score of a question (docs/decisions/0111-what-questions-mean.md): 0.3 × how alike the titles are
 * and 0.8 × how alike the question is to what was written below it, in the mean. As both are sums of products, a question has one vector.
 */

const TITLE_WEIGHT = 0.3
const TEXTS_WEIGHT = 0.8
/** What texts that have nothing to do with each other reach; taken off, so that who has no vector neither wins nor loses. */
const UNRELATED = 0.47
/** Pieces of words that are read: of what is asked, which somebody waits for, and of what is stored. */
const MAX_PIECES = { asked: 32, stored: 128 }
/** The answer goes without it after so many milliseconds from when it was asked for. */
const MAX_WAIT_MS = 20

/** Questions that are read at once, and for how long one run goes on. */
const BATCH = 20
const RUN_MS = 45_000
/** Between two texts, so that who waits for an answer comes in between. */
const PAUSE_MS = 5

/**
 * Begins to encode what is asked.
 * @param withinMs how long the answer waits for that
 * @returns puts candidates in order by their scores and what their meaning adds; as they were where that is not known in time
 */
export function beginMeaning(title: string, withinMs = MAX_WAIT_MS): (candidates: Ranked[]) => Promise<Ranked[]> {
	if (!hasEncoder() || !/\p{L}/u.test(title)) return async (candidates) => candidates
	const asked = encode(title, { maxPieces: MAX_PIECES.asked, withinMs })
	return async (candidates) => {
		const [direction, rows] = await Promise.all([asked, readVectors(candidates.map(({ id }) => id))])
		if (!direction) return candidates
		const vectors = new Map(rows.map(({ id, vector }) => [id, vector]))
		return candidates
			.map(({ id, score }) => ({ id, score: score + added(direction, vectors.get(id)) }))
			.toSorted((one, other) => other.score - one.score || other.id - one.id)
	}
}

/** Makes the vectors of questions whose texts are new or have changed: called every minute by one process of the site. */
export async function encodeQuestions(): Promise<void> {
	const until = Date.now() + RUN_MS
	while (hasEncoder() && Date.now() < until) {
		const questions = await readUnencoded(BATCH)
		for (const question of questions) {
			const vector = await vectorOf(question)
			if (!vector) return
			await storeVector(question, vector)
		}
		if (questions.length < BATCH) return
	}
}

/** @returns null where a text cannot be encoded now */
async function vectorOf({ title, texts }: { title: string; texts: string[] }): Promise<Buffer | null> {
	const sum = new Float64Array(ENCODED_WIDTH)
	// Where nothing is written below the title, the title stands for it.
	const parts = texts.length > 0 ? texts : [title]
	const weighted = [{ text: title, weight: TITLE_WEIGHT }].concat(
		parts.map((text) => ({ text, weight: TEXTS_WEIGHT / parts.length })),
	)
	for (const { text, weight } of weighted) {
		const direction = await encode(text, { maxPieces: MAX_PIECES.stored })
		if (!direction) return null
		for (let at = 0; at < ENCODED_WIDTH; at += 1) sum[at] = (sum[at] ?? 0) + weight * (direction[at] ?? 0)
		await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
	}
	return pack(sum)
}

/** As the migration describes it. Rounding to bytes changes a score by less than 0.003. */
function pack(vector: Float64Array): Buffer {
	const scale = Math.max(1e-9, ...vector.map(Math.abs)) / 127
	const packed = Buffer.alloc(4 + ENCODED_WIDTH)
	packed.writeFloatBE(scale)
	for (let at = 0; at < ENCODED_WIDTH; at += 1) packed.writeInt8(Math.round((vector[at] ?? 0) / scale), 4 + at)
	return packed
}

function added(direction: Float32Array, vector: Buffer | undefined): number {
	if (vector?.length !== 4 + ENCODED_WIDTH) return 0
	const bytes = new Int8Array(vector.buffer, vector.byteOffset + 4, ENCODED_WIDTH)
	let product = 0
	for (let at = 0; at < ENCODED_WIDTH; at += 1) product += (direction[at] ?? 0) * (bytes[at] ?? 0)
	return product * vector.readFloatBE() - UNRELATED
}
