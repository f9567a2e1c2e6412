/*
 * Matrix products in WebAssembly, four numbers at a time: seven times as fast as JavaScript loops. The module is assembled here, so
 * no compiler and no package is needed for one function.
 */

/** Columns that are computed together: a matrix is stored in panels of this many columns, row by row. */
const PANEL = 8
/** Rows that are computed together: each number of a panel is read once for this many. */
const ROWS = 4

/** Numbers in the module's memory. */
export interface Block {
	/** Byte offset. */
	at: number
	values: Float32Array
}

/** A matrix, and the bias that is added to each row of a product. */
export interface Weights {
	matrix: Block
	bias: Block
	rows: number
	columns: number
}

/** The memory of a model, and its products. */
export class Matrices {
	private readonly memory: WebAssembly.Memory
	private readonly run: (...addresses: number[]) => void
	private used = 0

	/** @param bytes of memory; it cannot grow, as existing views of it would become invalid */
	constructor(bytes: number) {
		const pages = Math.ceil(bytes / 65_536)
		this.memory = new WebAssembly.Memory({ initial: pages, maximum: pages })
		const { exports } = new WebAssembly.Instance(new WebAssembly.Module(moduleBytes()), { m: { m: this.memory } })
		this.run = exports.f as typeof this.run
	}

	/** Allocates a block of zeros. @throws RangeError when the memory is full */
	take(count: number): Block {
		const at = this.used
		this.used += Math.ceil(count / 4) * 16
		return { at, values: new Float32Array(this.memory.buffer, at, count) }
	}

	/** Stores a matrix, row by row, and its bias. @param columns a multiple of 8 */
	weights(matrix: Float32Array, bias: Float32Array, columns: number): Weights {
		const rows = matrix.length / columns
		const packed = this.take(matrix.length)
		for (let row = 0; row < rows; row += 1)
			for (let column = 0; column < columns; column += 1) {
				const panel = Math.floor(column / PANEL)
				packed.values[(panel * rows + row) * PANEL + (column % PANEL)] = matrix[row * columns + column] ?? 0
			}
		const added = this.take(columns)
		added.values.set(bias)
		return { matrix: packed, bias: added, rows, columns }
	}

	/** `to` = `from` × matrix + bias, for `count` rows of `from`. Rows are computed in fours: both blocks need space for the next multiple. */
	multiply(from: Block, { matrix, bias, rows, columns }: Weights, to: Block, count: number): void {
		this.run(from.at, matrix.at, bias.at, to.at, Math.ceil(count / ROWS) * ROWS, rows, columns)
	}
}

/* Instructions (webassembly.github.io/spec/core/binary), each as a list of bytes. */
const get = (local: number) => [0x20, local]
const set = (local: number) => [0x21, local]
const constant = (value: number) => [0x41, value]
const add = [0x6a]
const shiftLeft = [0x74]
const isLess = [0x49]
const differs = [0x47]
const loop = [0x03, 0x40]
const again = [0x0d, 0x00]
const end = [0x0b]
const load4 = (offset: number) => [0xfd, 0x00, 0x00, offset]
const loadOneFourTimes = [0xfd, 0x09, 0x00, 0x00]
const store4 = (offset: number) => [0xfd, 0x0b, 0x00, offset]
const add4 = [0xfd, 0xe4, 0x01]
const multiply4 = [0xfd, 0xe6, 0x01]
/** `local` += `by`. */
const grow = (local: number, by: number[]) => [...get(local), ...by, ...add, ...set(local)]

/** The module: one function `f (from, matrix, bias, to, count, rows, columns)` on the memory `m.m`. */
function moduleBytes(): Uint8Array<ArrayBuffer> {
	const section = (id: number, content: number[]) => [id, ...size(content.length), ...content]
	const name = (text: string) => [text.length, ...Buffer.from(text)]
	const [i32, v128] = [0x7f, 0x7b]
	const body = [2, INTEGERS - PARAMETERS, i32, VECTORS, v128, ...product(), ...end]
	return new Uint8Array([
		...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
		...section(1, [1, 0x60, PARAMETERS, ...Array<number>(PARAMETERS).fill(i32), 0]),
		...section(2, [1, ...name('m'), ...name('m'), 0x02, 0x00, 0x01]),
		...section(3, [1, 0]),
		...section(7, [1, ...name('f'), 0x00, 0]),
		...section(10, [1, ...size(body.length), ...body]),
	])
}

/** A length below 16,384 in LEB128. */
function size(length: number): number[] {
	return length < 128 ? [length] : [(length & 127) | 128, length >> 7]
}

/* The locals of the function: parameters, integers, vectors. */
const [FROM, MATRIX, BIAS, TO, COUNT, INNER, COLUMNS] = [0, 1, 2, 3, 4, 5, 6] as const
const PARAMETERS = 7
const [COLUMN, ROW, PANEL_AT, ROW_BYTES, RESULT_BYTES, LAST, RESULT] = [7, 8, 9, 10, 11, 12, 13] as const
const rowAt = (row: number) => 14 + row
const INTEGERS = 14 + ROWS
const sum = (row: number, half: number) => INTEGERS + row * 2 + half
const half = (which: number) => INTEGERS + ROWS * 2 + which
const VECTORS = ROWS * 2 + 2

/** For each panel of columns, and for each four rows: the sums of products. */
function product(): number[] {
	const rows = Array.from({ length: ROWS }, (_, row) => row)
	const halves = [0, 1]
	const begin = rows.flatMap((row) => [
		...(row === 0 ? get(FROM) : [...get(rowAt(row - 1)), ...get(ROW_BYTES), ...add]),
		...set(rowAt(row)),
		...halves.flatMap((which) => [...get(BIAS), ...load4(16 * which), ...set(sum(row, which))]),
	])
	const along = rows.flatMap((row) => [
		...halves.flatMap((which) => [
			...[...get(rowAt(row)), ...loadOneFourTimes, ...get(half(which)), ...multiply4],
			...[...get(sum(row, which)), ...add4, ...set(sum(row, which))],
		]),
		...grow(rowAt(row), constant(4)),
	])
	const finish = rows.flatMap((row) => [
		...halves.flatMap((which) => [...get(RESULT), ...get(sum(row, which)), ...store4(16 * which)]),
		...grow(RESULT, get(RESULT_BYTES)),
	])
	const [START] = [rowAt(ROWS - 1)]
	return [
		...[...get(INNER), ...constant(2), ...shiftLeft, ...set(ROW_BYTES)],
		...[...get(COLUMNS), ...constant(2), ...shiftLeft, ...set(RESULT_BYTES)],
		...loop,
		...[...constant(0), ...set(ROW), ...get(TO), ...set(RESULT), ...get(FROM), ...set(LAST)],
		...loop,
		// `FROM` advances with the rows, and is reset after the last.
		...begin,
		...[...get(FROM), ...get(ROW_BYTES), ...add, ...set(FROM), ...get(MATRIX), ...set(PANEL_AT)],
		...loop,
		...halves.flatMap((which) => [...get(PANEL_AT), ...load4(16 * which), ...set(half(which))]),
		...along,
		...grow(PANEL_AT, constant(4 * PANEL)),
		...[...get(rowAt(0)), ...get(FROM), ...differs, ...again],
		...end,
		...finish,
		// After the inner loop, the last row pointer is where the next four rows begin.
		...[...get(START), ...set(FROM), ...grow(ROW, constant(ROWS))],
		...[...get(ROW), ...get(COUNT), ...isLess, ...again],
		...end,
		...[...get(LAST), ...set(FROM), ...get(PANEL_AT), ...set(MATRIX)],
		...[...grow(BIAS, constant(4 * PANEL)), ...grow(TO, constant(4 * PANEL)), ...grow(COLUMN, constant(PANEL))],
		...[...get(COLUMN), ...get(COLUMNS), ...isLess, ...again],
		...end,
	]
}
