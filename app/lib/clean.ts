const unseen = /(?![\n\t])\p{Cc}/gu

/** Whether PostgreSQL can store the text at all: it holds no NUL. */
export function isStorable(text: string): boolean {
	return !text.includes('\u0000')
}

/**
 * A text as it is stored: line ends as one character, halves of surrogate pairs replaced. Other control characters go,
 * as nobody sees them; the search uses them as its own marks.
 */
export function cleanText(text: string): string {
	return text.toWellFormed().replace(/\r\n?/g, '\n').replace(unseen, '')
}

/** As {@link cleanText}, on one line, without spaces at its ends or doubled within. */
export function cleanLine(text: string): string {
	return cleanText(text).replace(/\s+/g, ' ').trim()
}

/** An address may hold what no row can: PostgreSQL refuses NUL even as something to look for. */
export function storable(text: string): string {
	return text.replaceAll('\u0000', '')
}
