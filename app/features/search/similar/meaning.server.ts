import { ENCODED_WIDTH, encode, endUnrequestedEncoder, hasEncoder } from '~/platform/encoder/encoder.server.ts'
import { readUnencoded, readVectors, storeVector } from './vectors.queries.server.ts'
import type { Ranked } from './weights.ts'

/*
 * The part of a question's score that comes from meaning (docs/decisions/0111-what-questions-mean.md): 0.3 × the similarity of the
 * titles, plus 0.8 × the mean similarity to the texts below the other title. As both are sums of products, a question needs only
 * one vector.
 */

const TITLE_WEIGHT = 0.3
const TEXTS_WEIGHT = 0.8
/** The similarity of unrelated texts. It is subtracted, so that a question without a vector neither gains nor loses. */
const UNRELATED = 0.47
/** Word pieces that are encoded: of a new question, whose author waits for the result, and of a stored one. */
const MAX_PIECES = { asked: 32, stored: 128 }
/** Milliseconds that a response waits for it at most. */
const MAX_WAIT_MS = 20

/** Questions per batch, and milliseconds per run. */
const BATCH = 20
const RUN_MS = 45_000
/** Pause between two texts, so that texts of waiting requests are encoded in between. */
const PAUSE_MS = 5

/**
 * Starts to encode a new question.
 * @param withinMs how long the response waits for it
 * @returns sorts candidates by their scores and their similarity in meaning; leaves them unchanged if that is not known
 * in time
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

/** Encodes questions with new or changed texts; one process of the site calls it every minute. */
export async function encodeQuestions(): Promise<void> {
	await encodeDue(Date.now() + RUN_MS)
	await endUnrequestedEncoder()
}

/** @param until when to leave the others to a later run */
async function encodeDue(until: number): Promise<void> {
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

/** @returns null if a text cannot be encoded now */
async function vectorOf({ title, texts }: { title: string; texts: string[] }): Promise<Buffer | null> {
	const sum = new Float64Array(ENCODED_WIDTH)
	// The title stands in for missing texts.
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

/** In the format of the migration. Rounding to bytes changes a score by less than 0.003. */
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
