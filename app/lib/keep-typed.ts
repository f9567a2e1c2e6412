import { isStorageOf } from './private-storage.ts'

interface KeptText {
	/** Its key in the local storage, which all tabs of this browser share. */
	name: string
	/** Username; once they have logged out in another tab, nothing is stored. */
	member: string
	store: (text: string) => void
	/** The text in a stored value. */
	textIn: (stored: string) => unknown
}

/**
 * Stores the typed text of a field once more when the field or its page is left: meanwhile another tab may have stored a text of
 * its own under the same name, and removed it after sending it.
 * @returns call it when the field goes
 */
export function keepTyped(field: HTMLTextAreaElement, { name, member, store, textIn }: KeptText): () => void {
	let isTyped = false
	const type = () => {
		isTyped = true
	}
	const keep = () => {
		if (isTyped && field.value !== '' && field.value !== field.defaultValue && isStorageOf(member)) store(field.value)
	}
	const hear = ({ key, oldValue, newValue }: StorageEvent) => {
		if (key !== name || newValue) return
		// Another tab sent this text, or began with it and added to it.
		const sent = textIn(oldValue ?? '')
		if (typeof sent === 'string' && sent.startsWith(field.value)) isTyped = false
	}
	field.addEventListener('input', type)
	addEventListener('pagehide', keep)
	addEventListener('storage', hear)
	return () => {
		keep()
		field.removeEventListener('input', type)
		removeEventListener('pagehide', keep)
		removeEventListener('storage', hear)
	}
}

/**
 * Moves a typed text to another key of the local storage, above what is stored there; of two texts of which one begins with the other,
 * the longer one stays.
 */
export function moveTyped(from: string, to: string): void {
	try {
		const moved = localStorage.getItem(from)
		if (moved === null) return
		const there = localStorage.getItem(to) ?? ''
		const [longer, shorter] = moved.length < there.length ? [there, moved] : [moved, there]
		localStorage.setItem(to, longer.startsWith(shorter) ? longer : `${moved}\n\n${there}`)
		localStorage.removeItem(from)
	} catch {
		// Storage is full or forbidden: it stays.
	}
}
