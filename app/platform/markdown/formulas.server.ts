import type { MarkdownIt, StateBlock, StateCore, StateInline } from 'markdown-it'
import { MAX_FORMULA_LENGTH } from './mathml.server.ts'

/**
 * Parses formulas: `$…$` and `` $`…`$ `` inline, `$$…$$` and code blocks called `math`. Their tokens are `formula` and
 * `formula_block`, with the TeX as content and the delimiters as markup.
 */
export function formulas(parser: MarkdownIt): void {
	parser.inline.ruler.after('escape', 'formula', inLine)
	parser.block.ruler.before('fence', 'formula_block', block, { alt: ['paragraph', 'reference', 'blockquote', 'list'] })
	parser.core.ruler.after('block', 'math_fence', mathFences)
}

const inCode = /\$`([^`\n]+)`\$(?!\w)/y
/** A price has no closing delimiter, and neither has the `$` of shells and PHP. */
const marked = /(\$\$?)(?=[^\s$])((?:\\[\s\S]|[^$\\])+)(?<=\S)\1(?![\w$({])/y

function inLine(state: StateInline, silent: boolean): boolean {
	if (state.src[state.pos] !== '$') return false
	// No formula is longer, so a text full of opening delimiters is read in linear time.
	const text = state.src.slice(state.pos, Math.min(state.posMax, state.pos + MAX_FORMULA_LENGTH + 4))
	inCode.lastIndex = 0
	marked.lastIndex = 0
	const code = inCode.exec(text)
	const found = code ?? marked.exec(text)
	if (!found) return false
	const tex = (code ? found[1] : found[2]) ?? ''
	if (!code && !isFormula(tex, state.src[state.pos - 1] ?? '')) return false
	if (!silent) {
		const token = state.push('formula', 'math', 0)
		token.content = tex.trim()
		token.markup = code ? '$' : (found[1] ?? '$')
	}
	state.pos += found[0].length
	return true
}

/** `x`, `2n`, `f(x)`, `a = b + 1`: single letters, numbers and operators, with at least one letter. */
const simple =
	/^(?=.{1,60}$)(?=.*[A-Za-z])[-+]?(?:[([]{0,3}(?:\d{1,6}(?:\.\d{1,6})?[A-Za-z]?|[A-Za-z])'{0,2}!?[)\]]{0,3}(?: ?(?:[-+*/=<>,:|]{1,2}) ?(?=.)|(?=[([])|$))+$/
/**
 * Code, not TeX: names of PHP and shells, members of objects, strings, patterns: `$_POST['a']`, `${HOME}`, `$user_name`,
 * `$this->a_b`, `^\d$`.
 */
const code =
	/^\{\w[\w.]*\}|^_[A-Z]{2}|(?<![\\{A-Za-z])[A-Za-z]{2,}_[A-Za-z]{2}|->\w|=>|::|["`]|\[\s*'|\(\)|\\[dswDSW](?![A-Za-z])/

function isFormula(tex: string, before: string): boolean {
	// After a letter, `CO$_2$` and `x$\neq$` are formulas, but text between two paths `C$\a` is not.
	if (/[\w$^]/.test(before) && !/^[_^]|^\\[A-Za-z]\S*$/.test(tex)) return false
	if (simple.test(tex)) return true
	if (!/[\\^_{]/.test(tex) || code.test(tex)) return false
	// Without a command, a long word is prose, except in `x_{max}` and `CNOT_{12}`.
	return tex.includes('\\') || !/[A-Za-z]{4}/.test(tex.replace(/\{[^{}]*\}|[A-Za-z]+_(?=[{\d])/g, ''))
}

function block(state: StateBlock, first: number, end: number, silent: boolean): boolean {
	const opening = lineOf(state, first)
	if (!/^\$\$(?!\$)/.test(opening)) return false
	// Four spaces indent code.
	if ((state.sCount[first] ?? 0) - state.blkIndent >= 4) return false
	const last = endOf(state, first, end, opening)
	if (last === null) return false
	const tex = state
		.getLines(first, last + 1, state.blkIndent, false)
		.trim()
		.replace(/^\$\$|\$\$$/g, '')
		.trim()
	if (!tex || tex.includes('$$')) return false
	if (silent) return true
	const token = state.push('formula_block', 'math', 0)
	token.content = tex
	token.markup = '$$'
	token.block = true
	token.map = [first, last + 1]
	state.line = last + 1
	return true
}

/** The line that closes a block; null for none. Only a delimiter on its own line opens a block that may contain empty lines. */
function endOf(state: StateBlock, first: number, end: number, opening: string): number | null {
	const rest = opening.slice(2).trimEnd()
	if (rest.endsWith('$$')) return first
	if (rest.includes('$$')) return null
	// As for code tags: lines after an unclosed delimiter are not searched again.
	const searched = state.env as { openFormula?: { from: number; to: number } }
	const { from, to } = searched.openFormula ?? { from: 0, to: 0 }
	if (first >= from && first < to) return null
	for (let line = first + 1; line < end; line += 1) {
		const text = lineOf(state, line).trimEnd()
		if ((state.sCount[line] ?? 0) < state.blkIndent && text) return null
		if (text.endsWith('$$')) return line
		if (!text && rest) return null
	}
	searched.openFormula = { from: first, to: end }
	return null
}

function lineOf(state: StateBlock, line: number): string {
	return state.src.slice((state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0), state.eMarks[line])
}

function mathFences(state: StateCore): void {
	for (const token of state.tokens) {
		if (token.type !== 'fence' || !/^\s*math\s*$/i.test(token.info)) continue
		token.type = 'formula_block'
		token.content = token.content.trim()
	}
}
