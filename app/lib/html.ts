/** Escapes a text for element content or a quoted attribute. */
export function escapeHtml(text: string): string {
	return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}

/** The reverse of {@link escapeHtml}, also for what the renderer writes for an apostrophe. */
function withoutEntities(text: string): string {
	if (!text.includes('&')) return text
	const signs = text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&#39;', "'")
	return signs.replaceAll('&amp;', '&')
}

/**
 * The plain text of HTML from `renderMarkdown`, on one line: no tags, no labels of code blocks, formulas as their source.
 * `text_of_html` in the database (migration 45) does the same.
 */
export function textOfHtml(html: string): string {
	const sourced = html.includes('<math') ? withSources(html) : html
	const text = withoutTags(
		sourced.includes('<header>') ? sourced.replace(/<header><span>[^<]*<\/span><\/header>/g, '') : sourced,
	)
	return collapseWhitespace(withoutEntities(text))
}

/** Every stretch of white space as one space, and none at the ends. Most are one space already, and stay where they are. */
export function collapseWhitespace(text: string): string {
	return text.replace(/\s{2,}|[^\S ]/g, ' ').trim()
}

/** A tag that stands between words. */
const between = /<\/?(?:p|br|hr|blockquote|ul|ol|li|h[2-6]|table|tr|th|td|figure|pre)(?: [^>]*)?>/y

/** With a space in the place of tags that stand between words, and nothing in that of others. Searches read some hundred KB a page. */
function withoutTags(html: string): string {
	let text = ''
	let from = 0
	for (let open = html.indexOf('<'); open >= 0; open = html.indexOf('<', from)) {
		const close = html.indexOf('>', open)
		if (close < 0) break
		between.lastIndex = open
		text += html.slice(from, open) + (between.test(html) ? ' ' : '')
		from = close + 1
	}
	return text + html.slice(from)
}

/** Replaces formulas by `$…$`, without one whose source was cut off. */
function withSources(html: string): string {
	return html
		.replaceAll('</annotation>', '$')
		.replace(/<math.*?<annotation[^>]*>/gs, () => '$')
		.replace(/<math.*/s, '')
}

/** JSON that is safe in a `<script>`: it can neither end the element nor begin a comment. */
export function scriptJson(value: unknown): string {
	return JSON.stringify(value).replace(
		/[<>&\u2028\u2029]/g,
		(character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
	)
}
