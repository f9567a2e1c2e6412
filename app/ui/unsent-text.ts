import { readStored } from './form-kit.ts'

/** Unsent text of a form, as this browser stores it. */
export interface UnsentText {
	text: string
	/** The version of the text that an edit started from; null for a new one. */
	version: number | null
	/** The idempotency key, so that a retry after a lost response creates no second text. */
	key: string
}

/** The unsent text that this browser stores under a name; null when there is nothing, or nothing readable. */
export function readUnsentText(name: string): UnsentText | null {
	const { text, version, key } = (readStored(name) ?? {}) as Partial<UnsentText>
	if (typeof text !== 'string' || typeof key !== 'string' || !text) return null
	return { text, version: Number.isInteger(version) ? (version as number) : null, key }
}
