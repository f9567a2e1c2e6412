import { expect, test } from 'vitest'
import { parseStored } from '~/ui/form-kit.ts'
import type { Draft } from '../asking.view.ts'
import { isOutdated, type LocalDraft, newerOf, parseLocalDraft } from './draft-saver.ts'

const early = '2026-11-21T10:00:00.000Z'
const late = '2026-11-21T10:05:00.000Z'

const stored: Draft = draft({ title: 'On the server', version: 3 })

function draft(changes: Partial<Draft> = {}): Draft {
	return {
		title: '',
		description: 'x',
		tags: '',
		category: 'others',
		savedAt: early,
		madeFrom: 0,
		version: 0,
		...changes,
	}
}

function local(changes: Partial<LocalDraft> = {}): LocalDraft {
	return { ...draft({ title: 'In this browser' }), unsent: true, ...changes }
}

test.each<[string, LocalDraft | null, Draft | null | undefined, string | null, string | null]>([
	['nothing anywhere is nothing', null, null, null, null],
	['only this browser has one, as a visitor wrote it', local(), null, 'In this browser', null],
	['the server was not asked', local({ version: 3, unsent: false }), undefined, 'In this browser', null],
	['only the server has one, from another device', null, stored, 'On the server', null],
	['the server took it and has none: published elsewhere', local({ version: 3, unsent: false }), null, null, null],
	['the same, but it was continued here since', local({ version: 3 }), null, 'In this browser', null],
	['this browser continued what the server has', local({ version: 3 }), stored, 'In this browser', null],
	[
		'the server has a later one, and nothing unsent is here',
		local({ version: 2, unsent: false }),
		stored,
		'On the server',
		null,
	],
	[
		'the server was restored from a backup, and had a later one before',
		local({ version: 5, savedAt: late, unsent: false }),
		draft({ ...stored, version: 10_003 }),
		'In this browser',
		'On the server',
	],
	[
		'the same, but the backup has a later one',
		local({ version: 2, savedAt: late, unsent: false }),
		draft({ ...stored, version: 10_003 }),
		'On the server',
		null,
	],
	[
		'another device went on after a restore',
		local({ version: 10_003, savedAt: late, unsent: false }),
		draft({ ...stored, version: 10_004 }),
		'On the server',
		null,
	],
	[
		'both went on, this browser later',
		local({ version: 2, savedAt: late }),
		stored,
		'In this browser',
		'On the server',
	],
	[
		'both went on, the other device later',
		local({ version: 2 }),
		draft({ ...stored, savedAt: late }),
		'On the server',
		'In this browser',
	],
	['both say the same', local({ title: 'On the server' }), stored, 'On the server', null],
])('%s', (_what, here, there, title, other) => {
	const found = newerOf(here, there)
	expect([found.draft?.title ?? null, found.other?.title ?? null]).toEqual([title, other])
	// The chosen draft continues from the server's version.
	if (there && found.draft) expect(found.draft.version).toBe(there.version)
})

test.each([
	[null],
	[''],
	['{'],
	['[]'],
	['null'],
	['"text"'],
	['{"title":1}'],
	[JSON.stringify({ ...draft(), savedAt: 'soon' })],
])('%j in the store is no draft', (text) => {
	expect(parseLocalDraft(parseStored(text))).toBeNull()
})

test.each([true, false])('a stored draft is read back, with pseudonym %s', (pseudonym) => {
	const written = local({ pseudonym })
	expect(parseLocalDraft(parseStored(JSON.stringify(written)))).toEqual(written)
})

test.each([
	['nothing here, nothing on the server', null, null, false],
	['typed here and never saved', local({ version: 0 }), null, false],
	['saved by another tab after the page was made', local({ version: 1, unsent: false }), null, true],
	['saved once more by another tab', local({ version: 2, unsent: false }), draft({ version: 1 }), true],
	['as the server had it', local({ version: 2 }), draft({ version: 2 }), false],
	['another device went on', local({ version: 2 }), draft({ version: 3 }), false],
])('a page may be older than its browser: %s', (_what, here, there, expected) => {
	expect(isOutdated(there, here)).toBe(expected)
})
