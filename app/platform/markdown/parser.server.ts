import MarkdownIt, { type Env, type MarkdownIt as Parser, type Token } from 'markdown-it'
import { escapeHtml } from '~/lib/html.ts'
import { formulas } from './formulas.server.ts'
import {
	type HighlightBudget,
	highlightCode,
	languageLabel,
	languageOf,
	newHighlightBudget,
} from './highlight.server.ts'
import { type FormulaBudget, formulaHtml, newFormulaBudget } from './mathml.server.ts'
import { directions, knownTags, limitBlocks, MAX_NESTING, preBlocks, tasks } from './rules.server.ts'

/** State from parsing to rendering of one text. */
export interface RenderEnvironment extends Env {
	/** The language of code blocks that name none. */
	language: string | null
	colouring: HighlightBudget
	formulas: FormulaBudget
}

/** A parsed text. */
export interface ParsedMarkdown {
	tokens: Token[]
	environment: RenderEnvironment
}

/** The state for one text. @param language of code blocks that name none, as a fence name or a tag */
export function newEnvironment(language: string): RenderEnvironment {
	return { language: languageOf(language), colouring: newHighlightBudget(), formulas: newFormulaBudget() }
}

/** Parses Markdown into tokens. */
export function parse(markdown: string, environment: RenderEnvironment): Token[] {
	return parser.parse(markdown, environment)
}

/** Renders tokens to HTML that still has to be sanitized. */
export function render(tokens: Token[], environment: RenderEnvironment): string {
	return parser.renderer.render(tokens, parser.options, environment)
}

/** The languages of these tokens' code blocks. */
export function namedLanguages(tokens: Token[], environment: RenderEnvironment): string[] {
	const names = tokens.filter(isCode).map((token) => languageOfBlock(token, environment))
	return [...new Set(names.filter((name) => name !== null))]
}

/** Whether rendering these tokens needs `loadFormulas`. */
export function hasFormulas(tokens: Token[]): boolean {
	return tokens.some(
		({ type, children }) => type === 'formula_block' || children?.some((child) => child.type === 'formula'),
	)
}

/** Whether HTML tags of the text are among these tokens, which may be nested wrongly. */
export function hasTags(tokens: Token[]): boolean {
	return tokens.some(({ children }) => children?.some(({ type }) => type === 'html_inline'))
}

/** Tags that part the words before and after them. */
const parting = /^<\/?(br|hr|p|ul|ol|li|blockquote|h\d)\b/i

/** The text of tokens as one line: no markup, no code blocks, no addresses of links and pictures; formulas as their source. */
export function plainText(tokens: Token[]): string {
	const words: string[] = []
	for (const token of tokens) {
		if (token.type === 'formula_block') words.push(`$${token.content}$ `)
		if (token.type !== 'inline') continue
		for (const child of token.children ?? []) {
			if (child.type === 'text' || child.type === 'code_inline') words.push(child.content)
			else if (child.type === 'formula') words.push(`$${child.content}$`)
			else if (child.type.endsWith('break') || (child.type === 'html_inline' && parting.test(child.content)))
				words.push(' ')
		}
		words.push(' ')
	}
	return words.join('').replace(/\s+/g, ' ').trim()
}

// A function, so that the parser is made after everything it uses.
function makeParser(): Parser {
	const made = new MarkdownIt({ html: true, linkify: true, breaks: false, typographer: false, maxNesting: MAX_NESTING })
	// Only full addresses become links, not "main.rs" or "ASP.NET".
	made.linkify.set({ fuzzyLink: false, fuzzyEmail: false })
	for (const extend of [preBlocks, limitBlocks, formulas, knownTags, directions, tasks]) extend(made)
	made.renderer.rules.fence = figure
	made.renderer.rules.code_block = figure
	made.renderer.rules.formula = formula
	made.renderer.rules.formula_block = formula
	return made
}

const parser = makeParser()

function isCode(token: Token): boolean {
	return token.type === 'fence' || token.type === 'code_block'
}

function languageOfBlock(token: Token, { language }: RenderEnvironment): string | null {
	const name = nameOfBlock(token)
	return name ? languageOf(name) : language
}

/** The language that a fence names, also as notebooks (`{python}`), Pandoc (`{.python}`) and Rust (`rust,ignore`) write it. */
function nameOfBlock({ info }: Token): string {
	return info.replace(/^[\s{.]+/, '').split(/[\s{},]/)[0] ?? ''
}

/** A block of code. It is focusable, so that a keyboard can scroll it. */
function figure(tokens: Token[], index: number, _options: unknown, environment: unknown): string {
	const token = tokens[index]
	if (!token) return ''
	const rendering = environment as RenderEnvironment
	const language = languageOfBlock(token, rendering)
	const label = escapeHtml(language ? languageLabel(language) : nameOfBlock(token).slice(0, 30) || 'Code')
	// Without the lookbehind, each of many empty lines would begin a search through the others.
	const code = highlightCode(token.content.replace(/(?<!\n)\n+$/, ''), language, rendering.colouring)
	return `<figure class="code"><header><span>${label}</span></header><pre tabindex="0"><code>${code}</code></pre></figure>\n`
}

function formula(tokens: Token[], index: number, _options: unknown, environment: unknown): string {
	const token = tokens[index]
	if (!token) return ''
	const inLine = token.markup === '$$' ? 'display' : 'line'
	return formulaHtml(
		token.content,
		token.type === 'formula' ? inLine : 'block',
		(environment as RenderEnvironment).formulas,
	)
}
