import { isStorageOf } from '~/lib/private-storage.ts'
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

/**
 * Moves a text that is stored under a former name, which an expression matches, unless there is one under this name: version 0.3 named
 * comments by the address of their question, which contains its category and its author.
 * @param member username, for whom the page was loaded: once the browser is another member's, nothing changes
 */
export function adoptUnsentText(name: string, former: RegExp, member: string): void {
	try {
		if (!isStorageOf(member)) return
		const found = Object.keys(localStorage).find((key) => former.test(key))
		if (found === undefined || localStorage.getItem(name) !== null) return
		localStorage.setItem(name, localStorage.getItem(found) ?? '')
		localStorage.removeItem(found)
	} catch {
		// Storage is full or forbidden.
	}
}
