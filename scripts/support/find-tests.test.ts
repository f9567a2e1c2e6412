import { expect, test } from 'vitest'
import { findTests, matchingTests } from './find-tests.ts'

const texts: Record<string, string> = {
	'app/lib/slug.test.ts': "test('a title becomes a slug', …)",
	'tests/e2e/ask.spec.ts': "test('a question (with tags) is asked', …)",
	'tests/process/start.test.ts': "test('a site starts', …)",
}

test.each([
	[['slug'], ['app/lib/slug.test.ts'], null],
	[['SLUG', 'process'], ['app/lib/slug.test.ts', 'tests/process/start.test.ts'], null],
	[['question', '(with', 'tags)'], ['tests/e2e/ask.spec.ts'], 'question (with tags) is'],
	[['a site'], ['tests/process/start.test.ts'], 'a site starts'],
	[['nowhere'], [], null],
] as const)('%j runs %j', (patterns, files, title) => {
	const found = matchingTests(Object.keys(texts), [...patterns], (file) => texts[file] ?? '')
	expect(found.files).toEqual(files)
	if (title) expect(title).toMatch(new RegExp(found.name ?? '^$'))
})

test('tests of every kind are found, once each', () => {
	const files = findTests()
	expect(files).toEqual([...new Set(files)])
	for (const folder of ['app/', 'server/', 'scripts/', 'tests/process/', 'tests/e2e/'])
		expect(
			files.some((file) => file.startsWith(folder)),
			folder,
		).toBe(true)
})
