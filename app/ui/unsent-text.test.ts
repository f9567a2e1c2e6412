import { expect, onTestFinished, test, vi } from 'vitest'
import { adoptUnsentText } from './unsent-text.ts'

const name = 'draft /forum/7 comment'
const former = /^draft \/forum\/[^/ ]+\/[^/ ]+\/7 comment$/
const old = 'draft /forum/others/mira/7 comment'

test.each([
	['is moved', 'mira', {}, { [name]: 'Half' }],
	['stays where there is one under the new name', 'mira', { [name]: 'Newer' }, { [name]: 'Newer', [old]: 'Half' }],
	['stays where the browser is another member’s', 'bo', {}, { [old]: 'Half' }],
])('a text under its former name %s', (_, member, there, after) => {
	const stored: Record<string, string> = { 'storage-owner': 'mira', [old]: 'Half', ...there }
	const methods = {
		getItem: (key: string) => stored[key] ?? null,
		setItem: (key: string, text: string) => Object.assign(stored, { [key]: text }),
		removeItem: (key: string) => void delete stored[key],
	}
	vi.stubGlobal('localStorage', new Proxy(stored, { get: (_target, key) => methods[key as keyof typeof methods] }))
	onTestFinished(() => void vi.unstubAllGlobals())
	adoptUnsentText(name, former, member)
	expect(stored).toEqual({ 'storage-owner': 'mira', ...after })
})
