import type Tinypool from 'tinypool'
import { Unavailable } from '~/lib/errors.ts'
import { log } from '~/lib/log.server.ts'
import { remember } from '~/lib/remember.ts'
import { startOf } from '~/lib/text.ts'
import { startThread } from '../worker-thread.server.ts'
import { mentionedNames } from './mentions.server.ts'
import { hasFormulas, namedLanguages, newEnvironment, type ParsedMarkdown, parse } from './parser.server.ts'
import { type RenderedMarkdown, type RenderTask, renderParsed } from './render-worker.server.ts'
import type { TopHeading } from './sanitize.server.ts'

export type { RenderedMarkdown } from './render-worker.server.ts'

interface RenderOptions {
	/** The language of code blocks that name none, as a fence name or a tag; code of unknown languages stays plain. */
	language?: string
	/** The level of the text's highest heading; 3 by default. */
	topHeading?: TopHeading
	/** Returns the mentioned usernames that become links; without it, none do. Not called when nobody is mentioned. */
	people?: (names: string[]) => Promise<ReadonlySet<string>>
}

/** Characters of a text without code and formulas that is rendered synchronously: 16 ms at worst. */
const MAX_LENGTH_AT_ONCE = 6_000
/** Idle milliseconds after which the thread, with its grammars, is ended. */
const IDLE_MS = 10 * 60_000
/** Bytes of the thread's heap after a text, with which it is ended. A grammar takes 1 to 2 MB, and members name any of 240 languages. */
const MAX_HEAP_BYTES = 128 * 1024 ** 2

/**
 * Renders Markdown to the HTML that is stored and shown; runs once, when the text is written. Accepts what people paste: simple
 * HTML tags work, unknown ones are shown as text, formulas become MathML. Long texts, code and formulas are rendered in a worker
 * thread, so that other requests do not wait; see `renderTask` for how long they take.
 */
export async function renderMarkdown(
	markdown: string,
	{ language = '', topHeading = 3, people }: RenderOptions = {},
): Promise<RenderedMarkdown> {
	const find = async (names: string[]) => (people && names.length > 0 ? people(names) : nobody)
	const parsed = parseShort(markdown, language)
	if (parsed) return renderParsed(parsed, { topHeading, people: await find(mentionedNames(parsed.tokens)) })
	const task: RenderTask = { markdown, language, topHeading, people: nobody }
	const rendered = await renderInThread(task)
	const known = await find(rendered.mentioned)
	return known.size > 0 ? renderInThread({ ...task, people: known }) : rendered
}

const nobody: ReadonlySet<string> = new Set()

/** @returns null for a text that may take long: the first code of a language, and the first formula, take up to a second */
function parseShort(markdown: string, language: string): ParsedMarkdown | null {
	if (markdown.length > MAX_LENGTH_AT_ONCE) return null
	const environment = newEnvironment(language)
	const tokens = parse(markdown, environment)
	return hasFormulas(tokens) || namedLanguages(tokens, environment).length > 0 ? null : { tokens, environment }
}

const held = remember<{ pool?: Tinypool }>('markdown thread', () => ({}))

/** @throws Unavailable where the thread could not be started */
async function renderInThread(task: RenderTask): Promise<RenderedMarkdown> {
	held.pool ??= startPool()
	const { pool } = held
	try {
		return await pool.run(task)
	} catch (error) {
		// The thread died, as it does without memory. The pool starts another one for the next text only, and what waits would wait for that.
		if (pool.threads.length === 0) giveUp(pool, error)
		if (held.pool === pool) throw error
		throw new Unavailable('The text could not be processed right now. Try again in a moment.', { cause: error })
	}
}

/**
 * The thread cannot be started, as with too many open files or while its file is being rebuilt, or it died. The next text starts
 * another one.
 */
function giveUp(pool: Tinypool, error: unknown): void {
	log.error({ err: error }, 'the thread that renders texts failed')
	if (held.pool === pool) delete held.pool
	// What waits for it is refused by this.
	pool.destroy().catch(() => {})
}

function startPool(): Tinypool {
	return startThread({
		name: 'render-worker',
		beside: import.meta.url,
		idleMs: IDLE_MS,
		maxHeapBytes: MAX_HEAP_BYTES,
		onError: giveUp,
	})
}

/** The `mentioned` of {@link renderMarkdown}, for a text that was rendered before. */
export function mentionsIn(markdown: string): string[] {
	return mentionedNames(parse(markdown, newEnvironment('')))
}

/** An excerpt for lists: at most `length` characters, cut after a whole word, with `…` where text is missing. */
export function excerptOf(text: string, length = 300): string {
	if (text.length <= length) return text
	const cut = startOf(text, length - 1)
	const space = cut.lastIndexOf(' ')
	return `${(space > length / 2 ? cut.slice(0, space) : cut).trimEnd()}…`
}
