/** A letter that is written from right to left. */
export const rightToLeft = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u

/**
 * A member's text for a line of ours that is not HTML, such as the subject of a mail: isolated, so that its direction does not reorder the
 * words around it, nor theirs its own.
 */
export function isolated(text: string): string {
	return rightToLeft.test(text) ? `\u2068${text}\u2069` : text
}
