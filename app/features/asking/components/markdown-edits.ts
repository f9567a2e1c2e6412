/* The edits of the toolbar as pure functions, from a text with a selection to a replacement. */

export interface TextSelection {
	text: string
	/** The selection, in characters. */
	from: number
	to: number
}

/** Replaces the characters `from` to `to` by `insert`, then selects `select`. */
export interface Edit {
	from: number
	to: number
	insert: string
	select: [number, number]
}

export type EditKind = 'heading' | 'bold' | 'italic' | 'code' | 'block' | 'link' | 'quote' | 'list' | 'numbers'

/** Applies a tool to a selection, or removes its markup if it is there. */
export function editOf(kind: EditKind, selected: TextSelection): Edit {
	return edits[kind](selected)
}

const edits: Record<EditKind, (selected: TextSelection) => Edit> = {
	heading: (selected) => lines(selected, () => '## ', /^#{1,6} /),
	bold: (selected) => wrap(selected, '**', 'bold text'),
	italic: (selected) => wrap(selected, '_', 'emphasis'),
	code: (selected) => (picked(selected).includes('\n') ? fence(selected) : wrap(selected, '`', 'code')),
	block: (selected) => fence(selected),
	link: (selected) => link(selected),
	quote: (selected) => lines(selected, () => '> ', /^> ?/),
	list: (selected) => lines(selected, () => '- ', /^[-*+] /),
	numbers: (selected) => lines(selected, (index) => `${index + 1}. `, /^\d{1,9}[.)] /),
}

/** Inserts a block, such as a picture, after the line that contains `at`. */
export function blockAfter(text: string, at: number, block: string): Edit {
	const end = lineEnd(text, at)
	const before = text.slice(0, end).trim() === '' ? '' : '\n\n'
	const insert = `${before}${block}\n`
	return { from: end, to: end, insert, select: [end + insert.length, end + insert.length] }
}

function wrap(selected: TextSelection, mark: string, sample: string): Edit {
	const { text, from, to } = selected
	const inner = picked(selected)
	const size = mark.length
	// Removes markup within the selection, or around it.
	if (inner.length >= 2 * size && inner.startsWith(mark) && inner.endsWith(mark))
		return replace(from, to, inner.slice(size, -size))
	if (text.slice(from - size, from) === mark && text.slice(to, to + size) === mark && !alone(text, from, to, mark))
		return replace(from - size, to + size, inner)
	const space = /^\s*/.exec(inner)?.[0] ?? ''
	const core = inner.trim()
	const words = core || sample
	const start = from + space.length + size
	const insert = core ? inner.replace(core, () => mark + core + mark) : `${mark}${sample}${mark}`
	return { from, to, insert, select: core ? [start, start + words.length] : [from + size, from + size + words.length] }
}

/** A single `*` beside the selection may be half of a `**`, which is other markup. */
function alone(text: string, from: number, to: number, mark: string): boolean {
	return mark.length === 1 && (text[from - 2] === mark || text[to + 1] === mark)
}

function link(selected: TextSelection): Edit {
	const { from, to } = selected
	const inner = picked(selected)
	if (/^https?:\/\/\S+$/.test(inner)) {
		const insert = `[link text](${inner})`
		return { from, to, insert, select: [from + 1, from + 1 + 'link text'.length] }
	}
	const words = inner || 'link text'
	const address = 'https://'
	const at = from + words.length + 3
	return {
		from,
		to,
		insert: `[${words}](${address})`,
		select: inner ? [at, at + address.length] : [from + 1, from + 1 + words.length],
	}
}

function fence(selected: TextSelection): Edit {
	const { text } = selected
	const [from, to] = wholeLines(selected)
	const inner = text.slice(from, to)
	const inside = /^(`{3,})[^\n]*\n([\s\S]*)\n\1$/.exec(inner)
	if (inside) return replace(from, to, inside[2] ?? '')
	// Longer than any fence in the code, which would end the block.
	const longest = Math.max(2, ...(inner.match(/`{3,}/g) ?? []).map((run) => run.length))
	const mark = '`'.repeat(longest + 1)
	const above = from > 0 && text.slice(0, from).trim() !== '' && !text.slice(0, from).endsWith('\n\n') ? '\n' : ''
	const insert = `${above}${mark}\n${inner}\n${mark}`
	const start = from + above.length + mark.length + 1
	return { from, to, insert, select: [start, start + inner.length] }
}

function lines(selected: TextSelection, mark: (index: number) => string, marked: RegExp): Edit {
	const [from, to] = wholeLines(selected)
	const rows = selected.text.slice(from, to).split('\n')
	const full = rows.filter((row) => row.trim() !== '')
	const undo = full.length > 0 && full.every((row) => marked.test(row))
	let index = 0
	const changed = rows.map((row) => {
		if (undo) return row.replace(marked, '')
		if (row.trim() === '' && rows.length > 1) return row
		index += 1
		return mark(index - 1) + row.replace(marked, '')
	})
	const insert = changed.join('\n')
	const end = from + insert.length
	return { from, to, insert, select: rows.length > 1 ? [from, end] : [end, end] }
}

function wholeLines({ text, from, to }: TextSelection): [number, number] {
	return [text.lastIndexOf('\n', from - 1) + 1, lineEnd(text, to)]
}

function lineEnd(text: string, at: number): number {
	const end = text.indexOf('\n', at)
	return end < 0 ? text.length : end
}

function picked({ text, from, to }: TextSelection): string {
	return text.slice(from, to)
}

/** Selects what it inserts. */
function replace(from: number, to: number, insert: string): Edit {
	return { from, to, insert, select: [from, from + insert.length] }
}

/** The text and selection of a text area. */
export function textSelectionOf(area: HTMLTextAreaElement): TextSelection {
	return { text: area.value, from: area.selectionStart, to: area.selectionEnd }
}

/**
 * Applies an edit like typing, so that the browser can undo it. `execCommand` is the only way to do that, and requires the focus; if
 * another field has it, the edit cannot be undone.
 */
export function applyEdit(area: HTMLTextAreaElement, { from, to, insert, select }: Edit): void {
	const focused = document.activeElement === area
	if (focused) area.setSelectionRange(from, to)
	const typed =
		focused && (insert === '' ? document.execCommand('delete') : document.execCommand('insertText', false, insert))
	if (!typed) {
		area.setRangeText(insert, from, to, 'end')
		area.dispatchEvent(new Event('input', { bubbles: true }))
	}
	if (focused) area.setSelectionRange(...select)
}
