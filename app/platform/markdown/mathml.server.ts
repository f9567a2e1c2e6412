import { escapeHtml } from '~/lib/html.ts'
import { remember } from '~/lib/remember.ts'
import { MAX_FORMULA_EM } from './mathml-tags.server.ts'

/** Characters of one formula, and of all formulas of a text; the rest is shown as it was typed. */
export const MAX_FORMULA_LENGTH = 2_000
const MAX_FORMULAS_LENGTH = 20_000
/** Formulas of one text. */
export const MAX_FORMULAS = 500
/** Macro expansions of one formula; it may not define macros. */
const MAX_EXPANSIONS = 500
/** Milliseconds of processor time for the formulas of a text; checked between formulas. */
const MAX_FORMULAS_MS = 150
/** Nesting depth of elements: the sanitizer cuts off what is deeper than 100, and a formula may be within lists and quotations. */
export const MAX_FORMULA_DEPTH = 50
/** Characters of the markup of one formula. */
const MAX_FORMULA_HTML = 100_000

/** The remaining budget for the formulas of a text; made by {@link newFormulaBudget}. */
export interface FormulaBudget {
	count: number
	characters: number
	milliseconds: number
}

/** The full budget for the formulas of one text. */
export function newFormulaBudget(): FormulaBudget {
	return { count: MAX_FORMULAS, characters: MAX_FORMULAS_LENGTH, milliseconds: MAX_FORMULAS_MS }
}

type Temml = typeof import('temml')['default']

const state = remember<{ temml?: Temml }>('temml', () => ({}))

/** Loads the renderer for {@link formulaHtml} on first use, about 20 ms. */
export async function loadFormulas(): Promise<void> {
	state.temml ??= (await import('temml')).default
}

/**
 * A formula as MathML for the sanitizer; a wrong one as its source with the error. Never throws.
 * @param tex at most 2,000 characters, without definitions of macros and without addresses
 * @param kind `line` inline, `display` inline in display size, `block` on its own
 * @param left the budget, shared by all formulas of a text; once used up, formulas are shown as source
 */
export function formulaHtml(tex: string, kind: 'line' | 'display' | 'block', left: FormulaBudget): string {
	const { html, reason } = mathOf(tex, kind !== 'line', left)
	if (html) return kind === 'block' ? `<figure class="formula" tabindex="0">${html}</figure>\n` : html
	const source = escapeHtml(tex)
	const why = escapeHtml(reason ?? unknownFaultMessage)
	if (kind === 'block')
		return `<figure class="code"><header><span>Formula: ${why}</span></header><pre tabindex="0"><code>${source}</code></pre></figure>\n`
	const mark = kind === 'line' ? '$' : '$$'
	return `<span class="formula-error" title="${why}"><code>${mark}${source}${mark}</code></span>`
}

const unknownFaultMessage = 'This cannot be shown.'

/** Forbidden commands: definitions, which could grow without end; addresses and styles; and what browsers draw only with a style sheet. */
const refused =
	/\\(?:(?:g|e|x)?def|let|futurelet|global|(?:re)?newcommand|providecommand|csname|href|url|includegraphics|class|id|style|data|html[A-Za-z]*|cancelto|longdiv|phase|textcircled|angl)(?![A-Za-z])/

function mathOf(tex: string, displayMode: boolean, left: FormulaBudget): { html?: string; reason?: string } {
	if (tex.length > MAX_FORMULA_LENGTH) return { reason: `It has more than ${MAX_FORMULA_LENGTH} characters.` }
	const [command] = refused.exec(tex) ?? []
	if (command) return { reason: `${command} is not possible here.` }
	if (left.count < 1 || tex.length > left.characters || left.milliseconds <= 0)
		return { reason: 'The text has too many formulas before it.' }
	left.count -= 1
	left.characters -= tex.length
	const began = process.threadCpuUsage()
	try {
		const html = state.temml?.renderToString(tex, {
			displayMode,
			annotate: true,
			throwOnError: true,
			trust: false,
			maxExpand: MAX_EXPANSIONS,
			maxSize: [MAX_FORMULA_EM, MAX_FORMULA_EM * 10],
		})
		if (!html?.startsWith('<math')) return { reason: unknownFaultMessage }
		return html.length > MAX_FORMULA_HTML || depthOf(html) > MAX_FORMULA_DEPTH
			? { reason: 'It is too large.' }
			: { html }
	} catch (error) {
		return { reason: reasonOf(error) }
	} finally {
		const { user, system } = process.threadCpuUsage(began)
		left.milliseconds -= (user + system) / 1_000
	}
}

/** The parser's message, without the source that it quotes. */
function reasonOf(error: unknown): string {
	if (!(error instanceof Error) || error.name !== 'ParseError') return unknownFaultMessage
	const message = error.message.replace(/ at (position \d+|end of input):[\s\S]*$/, ' at $1').trim()
	return `${message.slice(0, 160)}.`
}

function depthOf(html: string): number {
	let depth = 0
	let deepest = 0
	for (const [tag] of html.matchAll(/<\/?[a-z]/g)) {
		depth += tag[1] === '/' ? -1 : 1
		deepest = Math.max(deepest, depth)
	}
	return deepest
}
