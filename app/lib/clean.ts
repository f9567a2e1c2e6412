const unseen = /(?![\n\t])\p{Cc}/gu

/** Whether PostgreSQL can store a text: it contains no NUL. */
export function isStorable(text: string): boolean {
	return !text.includes('\u0000')
}

/** For input that is not {@link isStorable}. */
export const unstorableMessage = 'The text contains an invalid character (NUL).'

/**
 * Normalizes a text for storage: line ends become one character, lone surrogates are replaced, and other control characters
 * removed, as they are invisible and the search uses some as marks.
 */
export function cleanText(text: string): string {
	return text.toWellFormed().replace(/\r\n?/g, '\n').replace(unseen, '')
}

/** Whether a text shows nothing: it consists of white space and invisible characters. */
export function isBlank(text: string): boolean {
	return !/[^\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u.test(text)
}

/** As {@link cleanText}, trimmed; '' for a text that shows nothing. */
export function cleanParagraphs(text: string): string {
	return isBlank(text) ? '' : cleanText(text).trim()
}

/** As {@link cleanParagraphs}, on one line with single spaces. */
export function cleanLine(text: string): string {
	return cleanParagraphs(text).replace(/\s+/g, ' ')
}

/** Characters of a filter. */
const MAX_FILTER = 100

/** What was typed into a filter of a list, as {@link cleanLine}; a longer text is cut. */
export function cleanFilter(typed: unknown): string {
	return cleanLine(String(typed ?? '')).slice(0, MAX_FILTER)
}

/** Removes NUL, which PostgreSQL rejects even in a search, so no row could match. */
export function storable(text: string): string {
	return text.replaceAll('\u0000', '')
}
