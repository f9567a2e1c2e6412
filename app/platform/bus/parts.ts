/** Bytes that are kept free for who sends a part and its number, and for how many parts follow. */
const head = 64

/**
 * Cuts a message into parts that a carrier takes.
 * @param longest bytes that a part may have together with what stands before it
 */
export function partsOf(message: string, longest: number): string[] {
	if (Buffer.byteLength(message) + head <= longest) return [`0 ${message}`]
	// UTF-8 needs at most three bytes for what counts as one in a string, and four for a pair.
	const size = Math.floor((longest - head) / 3)
	const pieces: string[] = []
	for (let from = 0; from < message.length; ) {
		const end = from + size
		// Half of a pair would become a question mark on its way.
		const to = /[\ud800-\udbff]/.test(message[end - 1] ?? '') ? end - 1 : end
		pieces.push(message.slice(from, to))
		from = to
	}
	return pieces.map((piece, index) => `${pieces.length - 1 - index} ${piece}`)
}

/** Puts parts together again. @returns what takes a part of a sender and gives the message when it was the last, else null */
export function joinParts(): (sender: string, part: string) => string | null {
	const begun = new Map<string, string>()
	return (sender, part) => {
		const space = part.indexOf(' ')
		const text = (begun.get(sender) ?? '') + part.slice(space + 1)
		if (part.slice(0, space) === '0') {
			begun.delete(sender)
			return text
		}
		begun.set(sender, text)
		return null
	}
}
