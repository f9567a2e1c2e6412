import { join } from 'node:path'
import Tinypool from 'tinypool'
import { remember } from '~/lib/remember.ts'
import { newColouring } from './highlight.server.ts'
import { newFormulas } from './mathml.server.ts'
import { mentionedNames } from './mentions.server.ts'
import { parse } from './parser.server.ts'
import renderTask, { type RenderedMarkdown, type RenderTask } from './render-worker.server.ts'
import type { TopHeading } from './sanitize.server.ts'

export type { RenderedMarkdown } from './render-worker.server.ts'

interface RenderOptions {
	/** The language of code blocks that name none, as a fence name or a tag; unknown ones leave the code plain. */
	language?: string
	/** The level of the text's highest heading; 3 unless said otherwise. */
	topHeading?: TopHeading
	/** Which of the mentioned usernames become links; without it, none does. It is not asked where nobody is mentioned. */
	people?: (names: string[]) => Promise<ReadonlySet<string>>
}

/** Characters of a text without code and formulas that is rendered at once: 8 ms if it is meant to be slow. */
const MAX_LENGTH_AT_ONCE = 6_000
/** The thread is ended after so long without a text, with the grammars that it holds. */
const IDLE_MS = 10 * 60_000

/**
 * Turns Markdown into what is stored and shown; runs once, when the text is written.
 * Takes what people paste from elsewhere: simple HTML tags work, unknown ones are shown as text, formulas become MathML.
 * Long texts, code and formulas are rendered in a thread, so that nobody else waits for them; see {@link renderTask} for the time they take.
 */
export async function renderMarkdown(
	markdown: string,
	{ language = '', topHeading = 3, people }: RenderOptions = {},
): Promise<RenderedMarkdown> {
	const run = mayTakeLong(markdown) ? renderInThread : renderTask
	const task: RenderTask = { markdown, language, topHeading, people: new Set() }
	const rendered = await run(task)
	const known = people && rendered.mentioned.length > 0 ? await people(rendered.mentioned) : task.people
	return known.size > 0 ? run({ ...task, people: known }) : rendered
}

function mayTakeLong(markdown: string): boolean {
	return markdown.length > MAX_LENGTH_AT_ONCE || /```|~~~|^(?: {4}|\t)|\$[^$\s][^$]*\$|\$\$/m.test(markdown)
}

function renderInThread(task: RenderTask): Promise<RenderedMarkdown> {
	return remember('markdown thread', startPool).run(task)
}

function startPool(): Tinypool {
	const one = { runtime: 'worker_threads', minThreads: 0, maxThreads: 1, idleTimeout: IDLE_MS } as const
	// A running site has a file of its own for it, beside the server's, and is run from the project's folder.
	if (import.meta.env?.PROD)
		return new Tinypool({ ...one, filename: join(process.cwd(), 'build/server/render-worker.js') })
	const alias = new URL('../../../scripts/support/alias.mjs', import.meta.url).href
	const execArgv = ['--disable-warning=ExperimentalWarning', '--import', alias]
	return new Tinypool({ ...one, execArgv, filename: new URL('./render-worker.server.ts', import.meta.url).href })
}

/** The `mentioned` of {@link renderMarkdown}, for a text that was rendered before. */
export function mentionsIn(markdown: string): string[] {
	return mentionedNames(parse(markdown, { language: null, colouring: newColouring(), formulas: newFormulas() }))
}

/** The beginning of a text for lists: at most `length` characters, cut after a whole word, `…` where something is missing. */
export function excerptOf(text: string, length = 300): string {
	if (text.length <= length) return text
	const cut = text.slice(0, length - 1)
	const space = cut.lastIndexOf(' ')
	return `${(space > length / 2 ? cut.slice(0, space) : cut)
		.toWellFormed()
		.replace(/\ufffd$/, '')
		.trimEnd()}…`
}
