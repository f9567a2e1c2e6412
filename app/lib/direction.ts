/** A letter that is written from right to left. */
export const rightToLeft =
	/[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}\p{Script=Mandaic}\p{Script=Samaritan}\p{Script=Hanifi_Rohingya}]/u
/** An isolated part, or a character that changes the direction of what follows it. */
const directionMarks = /\u2068([^\u2066-\u2069]*)\u2069|[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g

/**
 * A member's text for a line of ours that is not HTML, such as the subject of a mail: isolated, so that its direction does not reorder the
 * words around it, nor theirs its own.
 */
export function isolated(text: string): string {
	// A part that ends its own isolation, as in a sentence of ours, changes nothing outside.
	const plain = text.replace(directionMarks, (mark, part?: string) => (part === undefined ? '' : mark))
	return rightToLeft.test(plain) ? `\u2068${plain}\u2069` : plain
}
