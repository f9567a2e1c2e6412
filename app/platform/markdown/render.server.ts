import { languageOf, loadLanguages, newColouring } from './highlight.server.ts'
import { linkMentions, mentionedNames } from './mentions.server.ts'
import { namedLanguages, parse, plainText, type RenderEnvironment, render } from './parser.server.ts'
import { sanitize, type TopHeading } from './sanitize.server.ts'

export interface RenderedMarkdown {
	/** Sanitized HTML, ready to be shown. */
	html: string
	/** The words of the text without code blocks and markup, white space folded. */
	text: string
	/** The usernames after an @, at most 20, each once; there need not be such members. Names in code and in links are none. */
	mentioned: string[]
}

interface RenderOptions {
	/** The language of code blocks that name none, as a fence name or a tag; unknown ones leave the code plain. */
	language?: string
	/** The level of the text's highest heading; 3 unless said otherwise. */
	topHeading?: TopHeading
	/** Which of the mentioned usernames become links; without it, none does. It is not asked where nobody is mentioned. */
	people?: (names: string[]) => Promise<ReadonlySet<string>>
}

/**
 * Turns Markdown into what is stored and shown; runs once, when the text is written.
 * Takes what people paste from elsewhere: simple HTML tags work, unknown ones are shown as text, formulas stay as written.
 * The time it takes is bounded by the length of the text: 0.3 ms for a usual one, 0.3 s for 64 KB meant to be slow.
 */
export async function renderMarkdown(
	markdown: string,
	{ language, topHeading = 3, people }: RenderOptions = {},
): Promise<RenderedMarkdown> {
	const environment: RenderEnvironment = { language: languageOf(language ?? ''), colouring: newColouring() }
	const tokens = parse(markdown, environment)
	const mentioned = mentionedNames(tokens)
	await loadLanguages(namedLanguages(tokens, environment))
	const text = plainText(tokens)
	if (people && mentioned.length > 0) linkMentions(tokens, await people(mentioned))
	return { html: sanitize(render(tokens, environment), topHeading), text, mentioned }
}

/** The `mentioned` of {@link renderMarkdown}, for a text that was rendered before. */
export function mentionsIn(markdown: string): string[] {
	return mentionedNames(parse(markdown, { language: null, colouring: newColouring() }))
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
