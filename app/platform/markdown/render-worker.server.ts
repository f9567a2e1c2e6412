import { languageOf, loadLanguages, newColouring } from './highlight.server.ts'
import { loadFormulas, newFormulas } from './mathml.server.ts'
import { linkMentions, mentionedNames } from './mentions.server.ts'
import { hasFormulas, namedLanguages, parse, plainText, type RenderEnvironment, render } from './parser.server.ts'
import { sanitize, type TopHeading } from './sanitize.server.ts'

export interface RenderedMarkdown {
	/** Sanitized HTML, ready to be shown. */
	html: string
	/** The words of the text without code blocks and markup, formulas as their source, white space folded. */
	text: string
	/** The usernames after an @, at most 20, each once; there need not be such members. Names in code and in links are none. */
	mentioned: string[]
}

/** What can be sent to a thread. */
export interface RenderTask {
	markdown: string
	language: string
	topHeading: TopHeading
	/** Which of the mentioned usernames become links. */
	people: ReadonlySet<string>
}

/**
 * Renders a text where it is called: in a thread of its own for what may take long, see render.server.ts.
 * The time is bounded by the length of the text: 0.3 ms for a usual one, 0.3 s for 64 KB meant to be slow. A language's first block of
 * code takes up to a second more, as its grammar is compiled.
 */
export default async function renderTask(task: RenderTask): Promise<RenderedMarkdown> {
	const environment: RenderEnvironment = {
		language: languageOf(task.language),
		colouring: newColouring(),
		formulas: newFormulas(),
	}
	const tokens = parse(task.markdown, environment)
	const mentioned = mentionedNames(tokens)
	await loadLanguages(namedLanguages(tokens, environment))
	if (hasFormulas(tokens)) await loadFormulas()
	const text = plainText(tokens)
	if (task.people.size > 0) linkMentions(tokens, task.people)
	return { html: sanitize(render(tokens, environment), task.topHeading), text, mentioned }
}
