import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Block, Matrices, type Weights } from './matrix.server.ts'
import { Tokenizer } from './tokenizer.server.ts'

/** A task for the worker thread. */
export interface EncodeTask {
	/** The folder of the model's `model.json`, `group1-shard…` and `vocab.json`. */
	folder: string
	text: string
	/** Maximum word pieces that are read. */
	maxPieces: number
}

/** Word pieces that the model reads at most. */
const MAX_PIECES = 128
/** Dimensions of an encoded text. */
const WIDTH = 512
const WIDE = 1_536
const HEADS = 4

let model: Model | undefined

/**
 * Encodes the meaning of a text as a unit vector of 512 numbers. The dot product of two texts that mean the same is near 1. Runs in
 * a worker thread (encoder.server.ts). Takes about 0.6 ms per word piece, and a third of a second more the first time.
 * @throws Error where the folder has no model
 */
export default function encodeTask({ folder, text, maxPieces }: EncodeTask): Float32Array {
	model ??= new Model(folder)
	return model.encode(text, Math.min(maxPieces, MAX_PIECES))
}

interface Norm {
	scale: Float32Array
	bias: Float32Array
}
interface Layer {
	before: Norm
	attention: Weights
	output: Weights
	between: Norm
	widen: Weights
	narrow: Weights
}
type Tensors = (name: string) => Float32Array

/** Universal Sentence Encoder Lite (Cer et al. 2018): two transformer layers, the mean of their results, one dense layer. */
class Model {
	private readonly tokenizer: Tokenizer
	private readonly embeddings: Float32Array
	private readonly rates: Float32Array
	private readonly matrices = new Matrices(4 * 1024 ** 2 * 6)
	private readonly layers: readonly [Layer, Layer]
	private readonly adjust: Weights
	private readonly last: Weights
	private readonly blocks: Record<'state' | 'normal' | 'joint' | 'wide' | 'result', Block>

	constructor(folder: string) {
		this.tokenizer = new Tokenizer(JSON.parse(readFileSync(join(folder, 'vocab.json'), 'utf8')))
		const tensors = readTensors(folder)
		this.embeddings = tensors('module/Embeddings_en')
		this.rates = tensors(`${STACK}Layer_0/AddTimingSignal/TimingSignal/ExpandDims_1`)
		this.layers = [this.layer(tensors, 0, WIDTH / 2), this.layer(tensors, 1, WIDTH)]
		this.adjust = this.weights(tensors, `${ENCODE}Layer_0/TransformerLayer/dense/`, 'kernel')
		this.last = this.matrices.weights(
			tensors('module/Encoder_en/hidden_layers/tanh_layer_0/weights'),
			tensors('module/Encoder_en/hidden_layers/tanh_layer_0/bias'),
			WIDTH,
		)
		const take = (width: number) => this.matrices.take(MAX_PIECES * width)
		this.blocks = { state: take(WIDTH), normal: take(WIDTH), joint: take(WIDE), wide: take(WIDE), result: take(WIDTH) }
	}

	encode(text: string, maxPieces: number): Float32Array {
		const pieces = this.tokenizer.encode(text).slice(0, maxPieces)
		const count = Math.max(1, pieces.length)
		const { state, normal, result } = this.blocks
		this.embed(pieces.length > 0 ? pieces : [0])
		const [first, second] = this.layers
		this.attend(first, count, WIDTH / 2)
		this.matrices.multiply(state, this.adjust, normal, count)
		state.values.set(normal.values)
		addTo(state.values, result.values, count * WIDTH)
		this.feed(first, count)
		this.attend(second, count, WIDTH)
		addTo(state.values, result.values, count * WIDTH)
		this.feed(second, count)
		normal.values.fill(0)
		for (let at = 0; at < count * WIDTH; at += 1)
			normal.values[at % WIDTH] = (normal.values[at % WIDTH] ?? 0) + (state.values[at] ?? 0) / count
		this.matrices.multiply(normal, this.last, result, 1)
		const encoded = result.values.slice(0, WIDTH).map(Math.tanh)
		const length = Math.hypot(...encoded)
		return encoded.map((value) => value / length)
	}

	/** The input of the first layer: word pieces with sinusoidal positions. The model counts the embedding of a piece twice. */
	private embed(pieces: number[]): void {
		const { values } = this.blocks.state
		const width = WIDTH / 2
		for (const [place, piece] of pieces.entries())
			for (let at = 0; at < width; at += 1) {
				const angle = place * (this.rates[at % (width / 2)] ?? 0)
				const wave = at < width / 2 ? Math.sin(angle) : Math.cos(angle)
				values[place * width + at] = 2 * (this.embeddings[piece * width + at] ?? 0) + wave
			}
	}

	/** Self-attention, into `result`. */
	private attend({ before, attention, output }: Layer, count: number, width: number): void {
		const { state, normal, joint, result } = this.blocks
		normalize(state.values, before, normal.values, count)
		this.matrices.multiply(normal, attention, joint, count)
		for (let head = 0; head < HEADS; head += 1)
			for (let row = 0; row < count; row += 1) mix(joint.values, normal.values, { head, row, count, width })
		this.matrices.multiply(normal, output, result, count)
	}

	/** The feed-forward network, added to `state`. */
	private feed({ between, widen, narrow }: Layer, count: number): void {
		const { state, normal, wide, result } = this.blocks
		normalize(state.values, between, normal.values, count)
		this.matrices.multiply(normal, widen, wide, count)
		for (let at = 0; at < count * WIDE; at += 1) wide.values[at] = Math.max(0, wide.values[at] ?? 0)
		this.matrices.multiply(wide, narrow, result, count)
		addTo(state.values, result.values, count * WIDTH)
	}

	private layer(tensors: Tensors, index: number, width: number): Layer {
		const place = `${ENCODE}Layer_${index}/TransformerLayer/`
		const norm = (name: string): Norm => ({
			scale: tensors(`${place}${name}layer_prepostprocess/layer_norm/layer_norm_scale`),
			bias: tensors(`${place}${name}layer_prepostprocess/layer_norm/layer_norm_bias`),
		})
		const dense = (name: string, columns: number) =>
			this.matrices.weights(
				tensors(`${STACK}Layer_${index}/TransformerLayer/FFN/${name}/Tensordot/Reshape_1`),
				tensors(`${place}FFN/${name}/bias`),
				columns,
			)
		const attention = (name: string, columns: number) => {
			const full = `${place}MultiheadAttention/${name}/`
			const kernel = tensors(`${full.replace('module_apply_default', 'module')}kernel/part_0`)
			return this.matrices.weights(kernel, tensors(`${full}bias`), columns)
		}
		return {
			before: norm(''),
			attention: attention('qkv_transform_single', 3 * width),
			output: attention('output_transform_single', WIDTH),
			between: norm('FFN/'),
			widen: dense('conv1', WIDE),
			narrow: dense('conv2', WIDTH),
		}
	}

	private weights(tensors: Tensors, place: string, kernel: string): Weights {
		return this.matrices.weights(tensors(place + kernel), tensors(`${place}bias`), WIDTH)
	}
}

const ENCODE = 'module_apply_default/Encoder_en/KonaTransformer/Encode/'
const STACK = `${ENCODE}TransformerStack/`

function addTo(values: Float32Array, more: Float32Array, count: number): void {
	for (let at = 0; at < count; at += 1) values[at] = (values[at] ?? 0) + (more[at] ?? 0)
}

/** One attention head for one piece: the mean of all values, weighted by how well their keys match the piece's query. */
function mix(
	joint: Float32Array,
	to: Float32Array,
	{ head, row, count, width }: Record<'head' | 'row' | 'count' | 'width', number>,
): void {
	const depth = width / HEADS
	const query = row * 3 * width + head * depth
	const keyOf = (other: number) => other * 3 * width + width + head * depth
	const shares = new Float64Array(count)
	for (let other = 0; other < count; other += 1) {
		const key = keyOf(other)
		let product = 0
		for (let at = 0; at < depth; at += 1) product += (joint[query + at] ?? 0) * (joint[key + at] ?? 0)
		shares[other] = product / Math.sqrt(depth)
	}
	const most = Math.max(...shares)
	let whole = 0
	for (let other = 0; other < count; other += 1) whole += shares[other] = Math.exp((shares[other] ?? 0) - most)
	const first = row * width + head * depth
	to.fill(0, first, first + depth)
	for (let other = 0; other < count; other += 1) {
		const value = keyOf(other) + width
		const share = (shares[other] ?? 0) / whole
		for (let at = 0; at < depth; at += 1) to[first + at] = (to[first + at] ?? 0) + share * (joint[value + at] ?? 0)
	}
}

/** Layer normalization: each row with mean 0 and variance 1, then scaled and shifted. */
function normalize(from: Float32Array, { scale, bias }: Norm, to: Float32Array, count: number): void {
	const width = scale.length
	for (let row = 0; row < count; row += 1) {
		const first = row * width
		let mean = 0
		for (let at = 0; at < width; at += 1) mean += (from[first + at] ?? 0) / width
		let variance = 0
		for (let at = 0; at < width; at += 1) variance += ((from[first + at] ?? 0) - mean) ** 2 / width
		const by = 1 / Math.sqrt(variance + 1e-6)
		for (let at = 0; at < width; at += 1)
			to[first + at] = ((from[first + at] ?? 0) - mean) * by * (scale[at] ?? 0) + (bias[at] ?? 0)
	}
}

/** Concatenates files, with only one of them in memory besides the result. */
function readWhole(files: string[]): Uint8Array<ArrayBuffer> {
	const bytes = new Uint8Array(files.reduce((sum, file) => sum + statSync(file).size, 0))
	let at = 0
	for (const file of files) {
		const part = readFileSync(file)
		bytes.set(part, at)
		at += part.length
	}
	return bytes
}

interface Manifest {
	weightsManifest: { paths: string[]; weights: { name: string; shape: number[]; dtype: string }[] }[]
}

/** The tensors of the model by name, as TensorFlow.js stores them: consecutive, in files of 4 MB. */
function readTensors(folder: string): Tensors {
	const { weightsManifest }: Manifest = JSON.parse(readFileSync(join(folder, 'model.json'), 'utf8'))
	const tensors = new Map<string, Float32Array>()
	for (const { paths, weights } of weightsManifest) {
		const bytes = readWhole(paths.map((path) => join(folder, path)))
		let at = 0
		for (const { name, shape, dtype } of weights) {
			const count = shape.reduce((product, size) => product * size, 1)
			const length = count * (dtype === 'bool' ? 1 : 4)
			// Large tensors are used in place. Small ones are copied, so that they do not keep the whole file in memory.
			const isLarge = length > 64 * 1024 && at % 4 === 0 && !name.endsWith('Embeddings_en')
			const values = isLarge ? new Float32Array(bytes.buffer, at, count) : undefined
			if (dtype === 'float32')
				tensors.set(
					name.replace('/ConcatPartitions/concat', ''),
					values ?? new Float32Array(bytes.slice(at, at + length).buffer),
				)
			at += length
		}
	}
	return (name) => {
		const found = tensors.get(name)
		if (!found) throw new Error(`The model has no ${name}.`)
		return found
	}
}
