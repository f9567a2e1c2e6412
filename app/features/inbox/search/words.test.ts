import { expect, test } from 'vitest'
import { foldText, hasSearchOperators, searchWordsOf, similarWords } from './words.ts'

test.each([
	['  Deadline, (Friday)! ', ['deadline', 'friday']],
	['Café CAFÉ cafe', ['cafe']],
	['node.js example.com/a', ['node.js', 'example.com/a']],
	["it's \\o/ ' \" !&|:*", ['it', 's', 'o']],
	['@nell #42', ['nell', '42']],
	['भाषा। हिन्दी کوڈ؟', ['भाषा', 'हिन्दी', 'کوڈ']],
	['thanks🙏bye it’s', ['thanks', 'bye', 'it', 's']],
	['അവന്\u200d വന്നു, e\u00adxam', ['അവന്\u200d', 'വന്നു', 'e', 'xam']],
	['', []],
])('the words of %j are %j', (search, words) => {
	expect(searchWordsOf(search)).toEqual(words)
})

test.each([
	['moved deadline', false],
	['"moved to"', true],
	['moved -friday', true],
	['e-mail - or not', false],
])('%j is exact: %s', (search, exact) => {
	expect(hasSearchOperators(search)).toBe(exact)
})

const known = ['deadlin', 'friday', 'timet', 'timetabl', 'tomorrow', 'cat', 'café', 'internationalis']

test.each([
	['fridya', ['friday']],
	['firday', ['friday']],
	['frday', ['friday']],
	['friiday', ['friday']],
	['freday', ['friday']],
	['fredai', []],
	['tomorow', ['tomorrow']],
	['tmoorrow', ['tomorrow']],
	['dedlin', ['deadlin']],
	['friday', []],
	['cab', []],
	['', []],
])('nearest to %j: %j', (word, near) => {
	expect(similarWords(word, known)).toEqual(near)
})

test('of many similar words the eight nearest count', () => {
	const many = Array.from({ length: 26 }, (_, index) => `tomorro${String.fromCharCode(97 + index)}`)
	expect(similarWords('tomorroz', many)).toHaveLength(8)
	expect(similarWords('timetabel', ['timetab', 'timetable'])[0]).toBe('timetable')
})

test('comparison ignores accents and case', () => {
	expect(foldText('Ünïcödé ÇA e\u0301')).toBe('unicode ca e')
})
