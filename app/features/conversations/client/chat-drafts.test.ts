import { expect, onTestFinished, test, vi } from 'vitest'
import { forgetDraft, keepDraft, readDraft, storeDraft } from './chat-drafts.ts'

/** A tab whose field shows the stored draft; all that is stored from now on is stored by another tab. */
function showDraft(text: string): HTMLTextAreaElement {
	const page = new EventTarget()
	const stored = new Map([['storage-owner', 'mira']])
	const change = (key: string, newValue: string | null) => {
		const oldValue = stored.get(key) ?? null
		if (newValue === null) stored.delete(key)
		else stored.set(key, newValue)
		page.dispatchEvent(Object.assign(new Event('storage'), { key, oldValue, newValue }))
	}
	vi.stubGlobal('addEventListener', page.addEventListener.bind(page))
	vi.stubGlobal('removeEventListener', page.removeEventListener.bind(page))
	vi.stubGlobal('localStorage', {
		getItem: (key: string) => stored.get(key) ?? null,
		setItem: change,
		removeItem: (key: string) => change(key, null),
	})
	onTestFinished(() => void vi.unstubAllGlobals())
	storeDraft('mira', 'bo', text)
	const field = Object.assign(new EventTarget(), { value: text, defaultValue: '' }) as unknown as HTMLTextAreaElement
	keepDraft(field, 'mira', 'bo')
	return field
}

test('a draft leaves the field of another tab once it is sent, not where it is only cleared', () => {
	const field = showDraft('A long draft')
	storeDraft('mira', 'bo', '')
	expect(field.value).toBe('A long draft')
	storeDraft('mira', 'bo', 'A long draft')
	forgetDraft('mira', 'bo', 'A long draft')
	expect([field.value, readDraft('mira', 'bo')]).toEqual(['', ''])
})
