import { loadLanguages } from './highlight.server.ts'
import { loadFormulas } from './mathml.server.ts'
import { linkMentions, mentionedNames } from './mentions.server.ts'
import {
	hasFormulas,
	hasTags,
	namedLanguages,
	newEnvironment,
	type ParsedMarkdown,
	parse,
	plainText,
	render,
} from './parser.server.ts'
import { sanitize, sanitizeSimple, type TopHeading } from './sanitize.server.ts'

export interface RenderedMarkdown {
	/** Sanitized HTML, ready to be shown. */
	html: string
	/** The text without code blocks and markup, formulas as their source, white space collapsed. */
	text: string
	/** The mentioned usernames, unique, at most 20; such members may not exist. Names in code and links do not count. */
	mentioned: string[]
}

/** A task for the worker thread. */
export interface RenderTask {
	markdown: string
	language: string
	topHeading: TopHeading
	/** The mentioned usernames that become links. */
	people: ReadonlySet<string>
}

/**
 * Renders a text synchronously; render.server.ts runs it in a worker thread where it may take long. The length of the text bounds
 * the time: 0.3 ms for an ordinary one, 0.3 s for 64 KB designed to be slow. A language's first block of code takes up to a second
 * more, as its grammar is compiled.
 */
export default async function renderTask(task: RenderTask): Promise<RenderedMarkdown> {
	const environment = newEnvironment(task.language)
	const tokens = parse(task.markdown, environment)
	await loadLanguages(namedLanguages(tokens, environment))
	if (hasFormulas(tokens)) await loadFormulas()
	return renderParsed({ tokens, environment }, task)
}

/** Renders a parsed text, whose languages and formulas are loaded; once, as it changes the tokens. */
export function renderParsed(
	{ tokens, environment }: ParsedMarkdown,
	{ topHeading, people }: Pick<RenderTask, 'topHeading' | 'people'>,
): RenderedMarkdown {
	const mentioned = mentionedNames(tokens)
	const text = plainText(tokens)
	if (people.size > 0) linkMentions(tokens, people)
	const html = render(tokens, environment)
	const simple = hasTags(tokens) ? null : sanitizeSimple(html)
	return { html: simple ?? sanitize(html, topHeading), text, mentioned }
}
