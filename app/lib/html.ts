/** Escapes a text for element content or a quoted attribute. */
export function escapeHtml(text: string): string {
	return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}

const entities: Record<string, string> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' }

/**
 * The plain text of HTML from `renderMarkdown`, on one line: no tags, no labels of code blocks, formulas as their source.
 * `text_of_html` in the database (migration 45) does the same.
 */
export function textOfHtml(html: string): string {
	return (html.includes('<math') ? withSources(html) : html)
		.replace(/<header><span>[^<]*<\/span><\/header>/g, '')
		.replace(/<\/?(?:p|br|hr|blockquote|ul|ol|li|h[2-6]|table|tr|th|td|figure|pre)(?: [^>]*)?>/g, ' ')
		.replace(/<[^>]*>/g, '')
		.replace(/&(lt|gt|quot|#39|amp);/g, (_, name: string) => entities[name] ?? '')
		.replace(/\s+/g, ' ')
		.trim()
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
