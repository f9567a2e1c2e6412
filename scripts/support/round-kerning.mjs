/**
 * Rounds the kerning of a font to coarser steps, which compress to half the bytes: that of the text face is set to a 2048th of an em
 * for each pair. Looks for pairs that move the second glyph along the line, as `kern` does in fonts for the web.
 * @param {Buffer} font in TrueType format; it is changed
 * @param {number} step in units of the font
 */
export function roundKerning(font, step) {
	const round = (units) => Math.round(units / step) * step
	const variations = tableAt(font, 'GDEF') + font.readUInt32BE(tableAt(font, 'GDEF') + 14)
	const replacements = roundDeltas(font, variations, round)
	const roundValue = (place, parent) => {
		font.writeInt16BE(round(font.readInt16BE(place)), place)
		const offset = font.readUInt16BE(place + 2)
		if (offset === 0) return
		const index = parent + offset
		const kept = replacements.get(font.readUInt32BE(index))
		if (kept === undefined) font.writeUInt16BE(0, place + 2)
		else font.writeUInt32BE(kept, index)
	}
	for (const pairs of pairTables(font)) {
		if (font.readUInt16BE(pairs + 4) !== ADVANCE || font.readUInt16BE(pairs + 6) !== 0)
			throw new Error('The kerning has another form than this script knows.')
		if (font.readUInt16BE(pairs) === 1)
			for (let set = 0; set < font.readUInt16BE(pairs + 8); set += 1) {
				const start = pairs + font.readUInt16BE(pairs + 10 + 2 * set)
				for (let pair = 0; pair < font.readUInt16BE(start); pair += 1) roundValue(start + 4 + 6 * pair, start)
			}
		else {
			const count = font.readUInt16BE(pairs + 12) * font.readUInt16BE(pairs + 14)
			for (let pair = 0; pair < count; pair += 1) roundValue(pairs + 16 + 4 * pair, pairs)
		}
	}
}

/** Format of values with an advance and its variation by weight. */
const ADVANCE = 0x44

/**
 * Rounds how values vary with the weight.
 * @returns for each address of a variation, of two 16-bit numbers, the first address with the same rounded variation; none where it is 0
 */
function roundDeltas(font, store, round) {
	const kept = new Map()
	const first = new Map()
	for (let outer = 0; outer < font.readUInt16BE(store + 6); outer += 1) {
		const data = store + font.readUInt32BE(store + 8 + 4 * outer)
		const words = font.readUInt16BE(data + 2)
		if (font.readUInt16BE(data + 4) !== 1) throw new Error('The kerning varies by more than the weight.')
		for (let inner = 0; inner < font.readUInt16BE(data); inner += 1) {
			const isWord = words === 1
			const place = data + 8 + inner * (isWord ? 2 : 1)
			const delta = round(isWord ? font.readInt16BE(place) : font.readInt8(place))
			if (isWord) font.writeInt16BE(delta, place)
			else font.writeInt8(delta, place)
			const address = outer * 0x10000 + inner
			if (delta === 0) continue
			if (!first.has(delta)) first.set(delta, address)
			kept.set(address, first.get(delta))
		}
	}
	return kept
}

/** Where the tables of kerned pairs begin, in all lookups of the font. */
function pairTables(font) {
	const gpos = tableAt(font, 'GPOS')
	const lookups = gpos + font.readUInt16BE(gpos + 8)
	const found = []
	for (let lookup = 0; lookup < font.readUInt16BE(lookups); lookup += 1) {
		const start = lookups + font.readUInt16BE(lookups + 2 + 2 * lookup)
		const isExtension = font.readUInt16BE(start) === 9
		for (let part = 0; part < font.readUInt16BE(start + 4); part += 1) {
			const table = start + font.readUInt16BE(start + 6 + 2 * part)
			if (isExtension && font.readUInt16BE(table + 2) === 2) found.push(table + font.readUInt32BE(table + 4))
			else if (font.readUInt16BE(start) === 2) found.push(table)
		}
	}
	return found
}

function tableAt(font, tag) {
	for (let table = 0; table < font.readUInt16BE(4); table += 1) {
		const entry = 12 + 16 * table
		if (font.toString('latin1', entry, entry + 4) === tag) return font.readUInt32BE(entry + 8)
	}
	throw new Error(`The font has no table ${tag}.`)
}
