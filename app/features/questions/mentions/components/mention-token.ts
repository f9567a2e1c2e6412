/** A name that is being written: where its @ stands, and what follows up to the caret. */
export interface MentionToken {
	from: number
	text: string
}

/** The mention at the end of what stands before the caret, or null. An @ within a word, such as of an e-mail address, begins none. */
export function tokenBefore(before: string): MentionToken | null {
	const found = /(?<![\p{L}\p{N}_@/.+-])@([a-z0-9._-]{0,64})$/iu.exec(before)
	return found ? { from: found.index, text: (found[1] ?? '').toLowerCase() } : null
}
