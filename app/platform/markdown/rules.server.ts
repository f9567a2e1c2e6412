import type { MarkdownIt, StateBlock, Token } from 'markdown-it'
import { rightToLeft } from '~/lib/text.ts'

/** Void and block tags: always markup. */
const standing = new Set(['br', 'hr', 'p', 'ul', 'ol', 'li', 'blockquote'])
/** Inline tags that count as markup only when they are closed: "use a <b> tag" is prose. */
const paired = new Set('a b strong i em u s strike del kbd code sup sub h1 h2 h3 h4 h5 h6'.split(' '))

/**
 * Passes the few allowed HTML tags of a text on to the sanitizer, and shows all others as text, so that `List<String>` outside a
 * code block loses nothing. Runs on html_inline tokens; HTML comments are removed.
 */
export function knownTags(parser: MarkdownIt): void {
	parser.core.ruler.after('inline', 'known_tags', (state) => {
		for (const token of state.tokens) if (token.type === 'inline' && token.children) keepKnown(token.children)
	})
}

function keepKnown(children: Token[]): void {
	const open = new Map<string, Token[]>()
	for (const token of children) {
		if (token.type !== 'html_inline') continue
		const [, slash, tag = ''] = /^<(\/?)([a-z][a-z0-9]*)/i.exec(token.content) ?? []
		const name = tag.toLowerCase()
		if (token.content.startsWith('<!--')) token.content = ''
		else if (!standing.has(name)) token.type = 'text'
		if (!paired.has(name)) continue
		const waiting = open.get(name) ?? []
		open.set(name, waiting)
		const opener = slash ? waiting.pop() : undefined
		if (opener) for (const end of [opener, token]) end.type = 'html_inline'
		if (!slash) waiting.push(token)
	}
}

const opening = /^<pre\b[^>]*>(?:\s*<code\b[^>]*>)?\n?/i
// Without the lookbehind, each of many spaces would begin a search through the others.
const closing = /(?<!\s)\s*(?:<\/code>\s*)?<\/pre>\s*$/i

/** Replaces markdown-it's HTML blocks: `<pre>…</pre>` is a block of code, all other HTML is inline. */
export function preBlocks(parser: MarkdownIt): void {
	parser.block.ruler.at('html_block', preBlock, { alt: ['paragraph', 'reference', 'blockquote'] })
}

function preBlock(state: StateBlock, first: number, end: number, silent: boolean): boolean {
	const start = (state.bMarks[first] ?? 0) + (state.tShift[first] ?? 0)
	if (!/^<pre\b/i.test(state.src.slice(start, start + 5))) return false
	// Lines after an unclosed tag are not searched again: a thousand unclosed tags would take quadratic time.
	const searched = state.env as { unclosed?: { from: number; to: number } }
	const { from, to } = searched.unclosed ?? { from: 0, to: 0 }
	let last = first >= from ? Math.max(first, to) : first
	while (last < end && !closing.test(lineOf(state, last))) last += 1
	if (last >= end) {
		searched.unclosed = { from: first, to: last }
		return false
	}
	if (silent) return true
	const token = state.push('code_block', 'code', 0)
	token.content = decode(
		state
			.getLines(first, last + 1, state.blkIndent, false)
			.trimStart()
			.replace(opening, '')
			.replace(closing, ''),
	)
	token.map = [first, last + 1]
	state.line = last + 1
	return true
}

function lineOf(state: StateBlock, line: number): string {
	return state.src.slice(Math.max(state.bMarks[line] ?? 0, (state.eMarks[line] ?? 0) - 40), state.eMarks[line])
}

function decode(text: string): string {
	return text
		.replaceAll('&lt;', '<')
		.replaceAll('&gt;', '>')
		.replaceAll('&quot;', '"')
		.replaceAll('&#39;', "'")
		.replaceAll('&amp;', '&')
}

/** Blocks that contain blocks. */
const containers = new Set(['blockquote_open', 'list_item_open'])

/** Maximum blocks of a text, counting each item, cell and paragraph: each costs up to 8 µs to render and to sanitize. */
const MAX_BLOCKS = 5_000

/** Quotes, lists and items that may be within each other. The parser reads nothing below. */
export const MAX_NESTING = 30

/**
 * Shows a text with too many blocks as it was typed, so that 64 KB of them cost no more than other texts; and one that is nested too
 * deeply, so that nothing of it is missing.
 */
export function limitBlocks(parser: MarkdownIt): void {
	parser.core.ruler.before('inline', 'few_blocks', (state) => {
		const blocks = state.tokens.filter(({ type, nesting }) => nesting === 1 || (nesting === 0 && type !== 'inline'))
		const isTooDeep = blocks.some(({ type, level }) => level >= MAX_NESTING - 1 && containers.has(type))
		if (blocks.length <= MAX_BLOCKS && !isTooDeep) return
		const whole = new state.Token('code_block', 'code', 0)
		whole.content = state.src
		whole.block = true
		state.tokens = [whole]
	})
}

/** Blocks with a side on which they begin: that of their markers, of their line, of their first column. */
const sided = new Set(['bullet_list_open', 'ordered_list_open', 'blockquote_open', 'table_open'])

/** Lists, quotes and tables begin on the right if their first letter is written from right to left. */
export function directions(parser: MarkdownIt): void {
	parser.core.ruler.after('inline', 'directions', (state) => {
		let undecided: Token[] = []
		for (const token of state.tokens) {
			if (sided.has(token.type)) undecided.push(token)
			// Closed before its first letter; `pop` does nothing once they are decided, as blocks nest.
			if (sided.has(token.type.replace(/close$/, 'open')) && token.nesting < 0) undecided.pop()
			if (token.type !== 'inline' || undecided.length === 0) continue
			const [letter] = /\p{L}/u.exec(token.content) ?? []
			if (!letter) continue
			if (rightToLeft.test(letter)) for (const block of undecided) block.attrSet('dir', 'rtl')
			undecided = []
		}
	})
}

const checkbox = /^\[([ xX])\][ \t\u00a0]+/

/**
 * Parses task lists as GitHub does: an item that begins with `[ ]` or `[x]` and a space begins with a checkbox. Its token is `task`, whose
 * `markup` is the mark.
 */
export function tasks(parser: MarkdownIt): void {
	// Before `text_join`, which would make an escaped bracket one of the text.
	parser.core.ruler.after('inline', 'tasks', (state) => {
		for (const [index, { type }] of state.tokens.entries()) {
			if (type !== 'list_item_open' || state.tokens[index + 1]?.type !== 'paragraph_open') continue
			const text = state.tokens[index + 2]
			const [first] = text?.children ?? []
			const [whole, mark = ''] = (first?.type === 'text' && checkbox.exec(first.content)) || []
			if (!text?.children || !first || !whole) continue
			first.content = first.content.slice(whole.length)
			// The direction of a list is that of the first letter of its content.
			text.content = text.content.slice(whole.length)
			const task = new state.Token('task', 'input', 0)
			task.markup = mark.toLowerCase()
			text.children.unshift(task)
		}
	})
	parser.renderer.rules.task = (tokens, index) => {
		const checked = tokens[index]?.markup === 'x' ? ' checked' : ''
		return `<input type="checkbox" aria-label="${TASK_LABEL}" disabled${checked} />`
	}
}

/** The accessible name of a checkbox; its state says whether the task is done. */
export const TASK_LABEL = 'Done'
