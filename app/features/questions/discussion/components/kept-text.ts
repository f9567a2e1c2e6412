/** What was typed into a box and not sent yet, as this browser keeps it. */
export interface KeptText {
	text: string
	/** The version of the comment that an edit began with; null for a new comment. */
	version: number | null
	/** What this browser calls its sending, so that a second one after a lost answer makes no second comment. */
	key: string
}

/** @returns null when there is nothing, or nothing that can be read */
export function readKept(name: string): KeptText | null {
	try {
		const { text, version, key } = JSON.parse(localStorage.getItem(name) ?? 'null')
		if (typeof text !== 'string' || typeof key !== 'string' || !text) return null
		return { text, version: Number.isInteger(version) ? version : null, key }
	} catch {
		return null
	}
}

/** A browser may forbid the store; the text is then kept no longer than its box. */
export function writeKept(name: string, kept: KeptText | null): void {
	try {
		if (kept?.text) localStorage.setItem(name, JSON.stringify(kept))
		else localStorage.removeItem(name)
	} catch {
		// see above
	}
}
