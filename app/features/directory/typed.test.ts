import { expect, test } from 'vitest'
import { namesOfBranch } from '~/features/members/other-names.server.ts'
import { extractYears } from '~/features/members/typed-studies.server.ts'
import { isOfInstitution, phrasesOf, withoutOverlaps, wordsOf } from './typed.ts'

test.each([
	['react cse', ['react', 'cse']],
	['Node.js, C++ & C#', ['Node', 'js', 'C++', 'C#']],
	['front-end', ['front', 'end']],
	['ＲＥＡＣＴ', ['REACT']],
	['  ', []],
	['+ - #', []],
	['.NET core', ['.NET', 'core']],
	["who's from the class of '28 or '98?", ['who', 'from', 'the', 'class', 'of', '2028', 'or', '1998']],
	["'285 5'28", ['285', '5', '28']],
	["CSE'27 ece’28 O'25", ['CSE', '2027', 'ece', '2028', 'O', '25']],
	['1 2 3 4 5 6 7 8 9', ['1', '2', '3', '4', '5', '6', '7', '8']],
])('%j has the words %j', (typed, words) => {
	expect(wordsOf(typed).map(({ text }) => text)).toEqual(words)
})

const isBranch = (word: string) => namesOfBranch(word).length > 1

test.each([
	['react 3rd year', [3], ['react']],
	['third year cse', [3], ['cse']],
	['year 2 it', [2], ['it']],
	['cse 4th', [4], ['cse']],
	['2nd or 3rd yr', [2, 3], ['or']],
	['python 3', [], ['python', '3']],
	['9th year', [], ['9th', 'year']],
	['"third year" cse', [], ['third', 'year', 'cse']],
	['new year', [], ['new', 'year']],
	['third eye', [], ['third', 'eye']],
	['III year mech', [3], ['mech']],
	['third years', [3], []],
	['3rd-year cse', [3], ['cse']],
	['final year civil', [4], ['civil']],
	['pre-final year', [3], []],
	['final exam', [], ['final', 'exam']],
	['5th sem react', [3], ['react']],
	['semester 8', [4], []],
	['3rdyear cse', [3], ['cse']],
	['sem5 2ndyr', [3, 2], []],
	['"3rdyear" year10', [], ['3rdyear', 'year10']],
	['semester5 7thsemester', [3, 4], []],
	['3yrs exp 5years', [], ['3yrs', 'exp', '5years']],
	['@first_year1 @year2', [], ['first', 'year1', 'year2']],
	['year 3 sem 5', [3], []],
	['2nd year 3rd sem', [2], []],
	['year 2, 7th semester', [2, 4], []],
	['new vi', [], ['new', 'vi']],
	['react batch of 2028', [], ['react', 'of', '2028']],
	['react batch', [], ['react', 'batch']],
	['TY react', [3], ['react']],
	['ty cse', [3], ['cse']],
	['react sy year', [2], ['react']],
	['FY', [1], []],
	['ty', [], ['ty']],
	['Ty Nguyen', [], ['Ty', 'Nguyen']],
	['"ty" Sophomore', [2], ['ty']],
])('%j names the years %j and leaves %j', (typed, years, rest) => {
	const words = wordsOf(typed)
	const taken = extractYears(words, isBranch)
	expect(taken.years).toEqual(years)
	expect(words.flatMap(({ text }, index) => (taken.isYear[index] ? [] : [text]))).toEqual(rest)
})

test.each([
	['CSE', 'computer science'],
	['information technology', 'it'],
	['mech', 'mechanical engineering'],
	['Civil Engg', 'civil engineering'],
	['bio tech', 'biotechnology'],
	['electronics communication', 'ece'],
	['entc', 'electronics and telecommunication'],
	['electrical', 'eee'],
	['Chem Engg', 'chemical engineering'],
	['Cartography', 'cartography'],
])('%j is also called %j', (typed, name) => {
	expect(namesOfBranch(typed)).toContain(name)
})

test('phrases are adjacent words, the longest first; those that overlap a longer one are omitted', () => {
	const phrases = phrasesOf(wordsOf('deep "machine" learning now'), [false, false, false, true])
	expect(phrases.map(({ text }) => text)).toEqual(['deep', 'learning'])
	const all = phrasesOf(wordsOf('a1 b1 c1'), [false, false, false])
	expect(all.map(({ text }) => text)).toEqual(['a1 b1 c1', 'a1 b1', 'b1 c1', 'a1', 'b1', 'c1'])
	expect(withoutOverlaps(all.slice(1)).map(({ text }) => text)).toEqual(['a1 b1', 'c1'])
})

test.each([
	['IS 3rd year', ['IS']],
	['who is from IS', ['IS']],
	['me', ['me']],
	['2nd year me', ['me']],
	['me branch', ['me']],
	['mentor for ME students', ['ME']],
	['show me 2nd year students', []],
	['can anyone help me', []],
])('of the words in %j, those that may be a branch are %j', (typed, branches) => {
	const words = wordsOf(typed)
	const phrases = phrasesOf(
		words,
		words.map(() => false),
	)
	expect(phrases.map(({ text }) => text).filter((text) => /^(?:me|is)$/i.test(text))).toEqual(branches)
})

test('a year of graduation stays a word; in quotation marks it is no year', () => {
	expect(extractYears(wordsOf("react '28"), isBranch).passing).toEqual([null, 2028])
	expect(extractYears(wordsOf('"2028" 2128'), isBranch).passing).toEqual([null, null])
})

test('a phrase keeps its original spelling', () => {
	const words = wordsOf("Let's Encrypt, c/c++")
	const phrases = phrasesOf(
		words,
		words.map(() => false),
	)
	expect(phrases.map(({ written }) => written)).toContain('c/c++')
	expect(phrases.find(({ text }) => text === 'Let Encrypt')?.written).toBe("Let's Encrypt")
})

test.each([
	['Institute of Information Technology', true],
	['department of information technology', false],
	['information technology', false],
])('the branch in %j is part of the name of a university: %j', (typed, is) => {
	const words = wordsOf(typed)
	const branch = phrasesOf(
		words,
		words.map(() => false),
	).find(({ text }) => text.toLowerCase() === 'information technology')
	expect(branch && isOfInstitution(words, branch)).toBe(is)
})
