/** A text as it must be written between tags or in a quoted attribute. */
export function escapeHtml(text: string): string {
	return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}

const entities: Record<string, string> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' }

/**
 * The words of HTML that `renderMarkdown` made, on one line: no tags, no names over blocks of code, formulas as their source.
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

/** With `$…$` in the place of formulas, without one whose source was cut off. */
function withSources(html: string): string {
	return html
		.replaceAll('</annotation>', '$')
		.replace(/<math.*?<annotation[^>]*>/gs, () => '$')
		.replace(/<math.*/s, '')
}

/** JSON that may stand in a `<script>`: no character of it can end the element or begin a comment. */
export function scriptJson(value: unknown): string {
	return JSON.stringify(value).replace(
		/[<>&\u2028\u2029]/g,
		(character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
	)
}
