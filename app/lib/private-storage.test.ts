import { afterEach, expect, test, vi } from 'vitest'
import { claimStorage, isStorageOf, renameOwner } from './private-storage.ts'
import type { SignedIn } from './viewer.ts'

/** As in a browser, the entries are the properties of a storage. */
function makeStorage(entries: Record<string, string>): Storage {
	const methods = {
		getItem(this: Record<string, string>, key: string) {
			return this[key] ?? null
		},
		setItem(this: Record<string, string>, key: string, text: string) {
			this[key] = text
		},
		removeItem(this: Record<string, string>, key: string) {
			delete this[key]
		},
	}
	return Object.assign(Object.create(methods), entries)
}

/** A browser with these entries. @returns what it stores now besides the owner, keys and texts */
function openBrowser(local: Record<string, string>, tab: Record<string, string> = {}) {
	const [localStorage, sessionStorage] = [local, tab].map(makeStorage)
	for (const [name, value] of Object.entries({ localStorage, sessionStorage, window: {}, indexedDB: {} }))
		vi.stubGlobal(name, value)
	const isEntry = ([key]: [string, string]) => !key.startsWith('storage-')
	return () =>
		[localStorage, sessionStorage].map((store) => Object.fromEntries(Object.entries(store ?? {}).filter(isEntry)))
}

afterEach(() => {
	vi.unstubAllGlobals()
})

const zoe: SignedIn = { id: 2, username: 'zoe', name: 'Zoe', image: null, role: 'member' }
const typed = (name: string) => ({
	[`chat-draft:${name}:bert`]: 'Hi',
	'draft /forum/12 new': 'So',
	'draft  ask': 'Why?',
})
const nothing = { 'draft  ask': 'Why?' }

test.each([
	['their own', 'zoe', '2', [], typed('zoe')],
	['their own, before ids were stored', 'zoe', null, [], typed('zoe')],
	['what they typed under a former name', 'ana', '2', ['ana', 'anna'], typed('zoe')],
	['the same under that name of another id', 'ana', '9', ['ana'], nothing],
	['what a member of the same name but another id typed', 'zoe', '9', [], nothing],
	['what a member of the same id but another name typed', 'ana', '2', [], nothing],
	['what another member typed', 'ana', '9', [], nothing],
	['what another member typed, before ids were stored', 'ana', null, [], nothing],
])('a member finds in their browser only what is theirs: %s', async (_what, owner, id, formerNames, kept) => {
	const stored = openBrowser({ ...typed(owner), 'storage-owner': owner, ...(id && { 'storage-owner-id': id }) })
	await claimStorage(zoe, formerNames)
	expect(stored()).toEqual([kept, {}])
	expect(['zoe', 'ana'].map(isStorageOf)).toEqual([true, owner === 'ana' && kept !== nothing])
})

test('what an open page of another member stores is neither taken over nor kept at the next load', async () => {
	const stored = openBrowser(
		{ 'storage-owner': 'zoe', 'storage-owner-id': '2', 'chat-outbox:anna:1': 'Hi', 'chat-outbox:zoe:2': 'Ho' },
		{ 'chat-attached:anna:bert': '[]', 'unsent-form:anna': '{}', 'unsent-form:zoe': '{}' },
	)
	renameOwner('anna', 'anna2')
	await claimStorage(zoe)
	expect(stored()).toEqual([{ 'chat-outbox:zoe:2': 'Ho' }, { 'unsent-form:zoe': '{}' }])
	expect(isStorageOf('anna')).toBe(false)
})

test('entries follow their member through several names, and what a page of a former name still stores', async () => {
	const stored = openBrowser(
		{ 'storage-owner': 'anna', 'storage-owner-id': '2', ...typed('anna') },
		{ 'unsent-form:anna': '{}' },
	)
	renameOwner('anna', 'ana')
	renameOwner('anna', 'ana')
	expect(isStorageOf('anna')).toBe(true)
	localStorage.setItem('chat-draft:anna:bert', 'Hi there')
	await claimStorage(zoe, ['anna', 'ana'])
	expect(stored()).toEqual([{ ...typed('zoe'), 'chat-draft:zoe:bert': 'Hi there' }, { 'unsent-form:zoe': '{}' }])
	await claimStorage(null)
	expect(stored()).toEqual([nothing, {}])
	expect(isStorageOf('zoe')).toBe(false)
})
