import { expect, test, vi } from 'vitest'
import { keepTyped } from './keep-typed.ts'

/** Another tab sends a text, and this one is closed then. @returns what this one has stored */
function closeAfter(sent: string, typed: string): string[] {
	const stored: string[] = []
	const page = new EventTarget()
	vi.stubGlobal('addEventListener', page.addEventListener.bind(page))
	vi.stubGlobal('removeEventListener', page.removeEventListener.bind(page))
	vi.stubGlobal('localStorage', { getItem: () => 'mira' })
	const field = Object.assign(new EventTarget(), { value: typed, defaultValue: '' }) as unknown as HTMLTextAreaElement
	const store = (text: string) => stored.push(text)
	const end = keepTyped(field, { name: 'draft', member: 'mira', store, textIn: (text) => text })
	field.dispatchEvent(new Event('input'))
	page.dispatchEvent(Object.assign(new Event('storage'), { key: 'draft', oldValue: sent, newValue: null }))
	end()
	vi.unstubAllGlobals()
	return stored
}

test.each([
	['the text itself', 'I think', []],
	['a text that began with it', 'I think so.', []],
	['another text', 'No.', ['I think']],
])('what was typed is stored again, unless another tab has sent it: %s', (_what, sent, stored) => {
	expect(closeAfter(sent, 'I think')).toEqual(stored)
})
