import { createHighlighterCore, type GrammarState, type HighlighterCore, type ThemeRegistrationRaw } from 'shiki/core'
import { createOnigurumaEngine } from 'shiki/engine/oniguruma'
import { bundledLanguages, bundledLanguagesInfo } from 'shiki/langs'
import { escapeHtml } from '~/lib/html.ts'
import { remember } from '~/lib/remember.ts'

/** Characters of code that are highlighted in one text, and in one line; the rest stays plain. */
const MAX_HIGHLIGHTED_LENGTH = 15_000
const MAX_LINE_LENGTH = 250
/** Languages that are highlighted in one text: each takes some memory, and time at first. */
const MAX_LANGUAGES = 20
/** Milliseconds of processor time, as a last resort against a text that makes a grammar slow; ordinary blocks take 1 to 20. */
const MAX_HIGHLIGHT_MS = 50
/** Characters that a grammar has to see before that limit counts: its patterns are compiled on first use, which took 1.5 s for C++. */
const warmUp = 10_000
/** The same limit for one line, in wall-clock time: on a busy machine, compiling the patterns of a line has taken half a second. */
const MAX_LINE_MS = 3_000
/** Lines between two checks of the time. */
const piece = 4

/** The remaining budget for highlighting a text; made by {@link newHighlightBudget}. */
export interface HighlightBudget {
	characters: number
	milliseconds: number
}

/** The full budget for highlighting one text. */
export function newHighlightBudget(): HighlightBudget {
	return { characters: MAX_HIGHLIGHTED_LENGTH, milliseconds: MAX_HIGHLIGHT_MS }
}

/** Each "colour" stands for a class of the design's tokens; a token of another colour is plain text. */
const classes: Record<string, string> = {
	'#000001': 's-k',
	'#000002': 's-f',
	'#000003': 's-s',
	'#000004': 's-n',
	'#000005': 's-t',
	'#000006': 's-c',
}

const theme: ThemeRegistrationRaw = {
	name: 'tokens',
	type: 'light',
	settings: [
		{ settings: { foreground: '#000000', background: '#ffffff' } },
		rule('#000001', 'keyword', 'storage', 'variable.language', 'punctuation.definition.keyword', 'markup.heading'),
		rule(
			'#000000',
			'keyword.operator',
			'punctuation',
			'storage.type.generic',
			'storage.modifier.package',
			'storage.modifier.import',
		),
		rule(
			'#000001',
			'keyword.operator.new',
			'keyword.operator.expression',
			'keyword.operator.logical.python',
			'keyword.operator.word',
		),
		rule('#000002', 'entity.name.function', 'support.function', 'meta.function-call.generic', 'variable.function'),
		rule('#000003', 'string', 'punctuation.definition.string', 'markup.inline.raw', 'markup.inserted'),
		rule(
			'#000004',
			'constant.numeric',
			'constant.language',
			'constant.character.escape',
			'support.constant',
			'constant.other.color',
		),
		rule(
			'#000005',
			'entity.name.type',
			'entity.name.class',
			'entity.other.inherited-class',
			'support.type',
			'support.class',
		),
		rule(
			'#000005',
			'entity.name.tag',
			'entity.other.attribute-name',
			'storage.type.java',
			'storage.type.primitive',
			'storage.type.built-in',
		),
		rule('#000000', 'meta.template.expression', 'string.unquoted.plain'),
		rule('#000006', 'comment', 'punctuation.definition.comment'),
	],
}

/** Common names of languages, besides those that Shiki knows. */
const aliases: Record<string, string> = {
	'python-3.x': 'python',
	'python-2.7': 'python',
	golang: 'go',
	nodejs: 'javascript',
	'node.js': 'javascript',
	reactjs: 'jsx',
	react: 'jsx',
	jquery: 'javascript',
	'vue.js': 'vue',
	angular: 'typescript',
	arduino: 'cpp',
	postgresql: 'sql',
	mysql: 'sql',
	sqlite: 'sql',
	'sql-server': 'sql',
	'spring-boot': 'java',
	spring: 'java',
	hibernate: 'java',
	jpa: 'java',
	jdbc: 'java',
	android: 'java',
	pandas: 'python',
	numpy: 'python',
	django: 'python',
	flask: 'python',
	linux: 'bash',
	git: 'bash',
}

/** The name of a language that can be highlighted, or null. Accepts fence names and tags: `c++`, `JS`, `spring-boot`. */
export function languageOf(name: string): string | null {
	const normalized = name.trim().toLowerCase()
	const known = aliases[normalized] ?? normalized
	if (!Object.hasOwn(bundledLanguages, known)) return null
	return canonical.get(known) ?? known
}

/** The first of a question's tags that names a language: the default of its code blocks. */
export function languageOfTags(tags: readonly string[]): string | undefined {
	return tags.find((tag) => languageOf(tag) !== null)
}

/** A language's display name: `JavaScript` for `javascript`. */
export function languageLabel(language: string): string {
	return labels.get(language) ?? language
}

const canonical = new Map(
	bundledLanguagesInfo.flatMap(({ id, aliases: others = [] }) => others.map((alias) => [alias, id] as const)),
)
const labels = new Map(bundledLanguagesInfo.map(({ id, name }) => [id, name]))

/**
 * Loads languages for {@link highlightCode}, by names of {@link languageOf}; each is read from disk on first use, about 20 ms. Only the first
 * ones of a text: one that names all 240 would take 9 s of processor time and 600 MB.
 */
export async function loadLanguages(named: readonly string[]): Promise<void> {
	const languages = named.slice(0, MAX_LANGUAGES)
	if (languages.length === 0) return
	state.highlighter ??= createHighlighterCore({
		themes: [theme],
		langs: [],
		// Oniguruma compiles a grammar's patterns three times as fast as their JavaScript translation runs for the first time.
		engine: createOnigurumaEngine(import('shiki/wasm')),
	})
	const highlighter = await state.highlighter
	state.ready = highlighter
	for (const language of languages) {
		if (!isLoaded(highlighter, language))
			await highlighter.loadLanguage(bundledLanguages[language as keyof typeof bundledLanguages])
	}
}

/**
 * A block of code as escaped HTML, its tokens in spans with the design's classes; plain beyond the limits above.
 * @param language of {@link languageOf}; without one that {@link loadLanguages} has loaded, the code stays plain
 * @param left the budget, shared by all blocks of a text
 */
export function highlightCode(code: string, language: string | null, left: HighlightBudget): string {
	const { ready } = state
	if (!ready || !language || code.length > left.characters || !isLoaded(ready, language)) return escapeHtml(code)
	left.characters -= code.length
	const lines = code.split('\n')
	const done: string[] = []
	const seen = state.seen.get(language) ?? 0
	let grammarState: GrammarState | undefined
	while (done.length < lines.length && left.milliseconds > 0) {
		const started = process.threadCpuUsage()
		const options = {
			lang: language,
			theme: 'tokens',
			tokenizeMaxLineLength: MAX_LINE_LENGTH,
			tokenizeTimeLimit: MAX_LINE_MS,
			grammarState,
		}
		const tokens = ready.codeToTokensBase(lines.slice(done.length, done.length + piece).join('\n'), options)
		grammarState = ready.getLastGrammarState(tokens)
		done.push(
			...tokens.map((line) =>
				line.map(({ content, color = '' }) => wrap(escapeHtml(content), classes[color])).join(''),
			),
		)
		const { user, system } = process.threadCpuUsage(started)
		if (seen > warmUp) left.milliseconds -= (user + system) / 1_000
	}
	state.seen.set(language, seen + code.length)
	return [...done, ...lines.slice(done.length).map(escapeHtml)].join('\n')
}

function isLoaded(highlighter: HighlighterCore, language: string): boolean {
	return highlighter.getLoadedLanguages().includes(language)
}

interface State {
	highlighter?: Promise<HighlighterCore>
	ready?: HighlighterCore
	/** Characters highlighted since the start, by language. */
	seen: Map<string, number>
}

const state = remember<State>('highlighter', () => ({ seen: new Map() }))

function wrap(html: string, name: string | undefined): string {
	return name && html.trim() ? `<span class="${name}">${html}</span>` : html
}

function rule(foreground: string, ...scope: string[]) {
	return { scope, settings: { foreground } }
}
