import { expect, test } from 'vitest'
import { probesOf, trigramSimilarity, trigramsOf, weigh, withoutCommon } from './weights.ts'

const forum = { sampled: 1_000, questions: 1_000 }
const counted = (word: string, documents: number, titled = true) => ({ word, documents, titled })

test('a rare word weighs more than a common one, and a word of the description less than one of the title', () => {
	const words = weigh([counted('git', 300), counted('rebas', 4), counted('reflog', 4, false)], forum)
	expect(words.map(({ word }) => word)).toEqual(['rebas', 'reflog', 'git'])
})

test('a word that every query has still has a small weight', () => {
	const [word] = weigh([counted('campus', 1_000)], forum)
	expect(word?.weight).toBeGreaterThan(0)
})

test('the frequency of a word is estimated from a sample', () => {
	expect(weigh([counted('git', 300)], { sampled: 1_000, questions: 50_000 })[0]?.documents).toBe(15_000)
})

test('an empty forum causes no division by zero', () => {
	const [word] = weigh([counted('git', 0)], { sampled: 0, questions: 0 })
	expect(word).toMatchObject({ documents: 0 })
	expect(Number.isFinite(word?.weight)).toBe(true)
})

test('of very many words the rarest thirty count', () => {
	const many = Array.from({ length: 4_000 }, (_, index) => counted(`w${index}`, 1 + (index % 900), index % 2 === 0))
	expect(weigh(many, forum)).toHaveLength(30)
})

test('a rare word is searched for by itself, a common one only together with others', () => {
	const words = weigh([counted('rebas', 40), counted('git', 30_000), counted('work', 60_000)], {
		sampled: 100_000,
		questions: 100_000,
	})
	const looked = probesOf(words, 100_000).map(({ words: together }) => together.join('+'))
	expect(new Set(looked)).toEqual(new Set(['rebas', 'rebas+git', 'rebas+work', 'git+work']))
})

test('two very common words are searched for among the newest questions only', () => {
	const words = weigh([counted('rebas', 40), counted('git', 60_000), counted('work', 70_000)], {
		sampled: 100_000,
		questions: 100_000,
	})
	const newest = probesOf(words, 100_000).filter((probe) => probe.newest)
	expect(newest.map(({ words: together }) => together.join('+'))).toEqual(['git+work', 'git+work'])
})

test('any two of ten words are searched for in all titles, even if a fifth of the forum has each', () => {
	const many = Array.from({ length: 12 }, (_, index) => counted(`w${10 + index}`, 8_000 + 1_000 * index))
	const probes = probesOf(weigh(many, { sampled: 100_000, questions: 100_000 }), 100_000)
	const inTitles = probes.filter(({ titleOnly, newest }) => titleOnly && !newest)
	expect(inTitles).toHaveLength(45)
	expect(inTitles.map(({ words }) => words.join('+'))).toContain('w18+w19')
	expect(probes).toHaveLength(48)
})

test('so are two words that more questions probably have together than are read', () => {
	const words = weigh([counted('git', 1_500), counted('work', 2_000), counted('rebas', 500)], {
		sampled: 10_000,
		questions: 10_000,
	})
	const newest = probesOf(words, 10_000).filter((probe) => probe.newest)
	expect(new Set(newest.map(({ words: together }) => together.join('+')))).toEqual(new Set(['git+work']))
})

test('for any input, the number of index scans and of their rows is limited', () => {
	const mixtures = [1, 999, 1_001, 900_000].flatMap((titled) =>
		[titled, 500].map((described) => ({ titled, described })),
	)
	for (const { titled, described } of mixtures) {
		const many = Array.from({ length: 5_000 }, (_, index) =>
			index % 2 === 0 ? counted(`w${index}`, titled) : counted(`w${index}`, described, false),
		)
		const probes = probesOf(weigh(many, { sampled: 1_000_000, questions: 1_000_000 }), 1_000_000)
		expect(probes.length).toBeLessThanOrEqual(68)
		expect(probes.reduce((sum, { limit }) => sum + limit, 0)).toBeLessThanOrEqual(30_000)
	}
})

test.each([
	['the same words', 'Undo a rebase', 'undo A REBASE!', 1, 1],
	['a typo', 'soldering iron', 'solderng iron', 0.7, 0.99],
	['a compound written apart', 'time zone', 'timezone', 0.5, 0.99],
	['other words', 'solder', 'git', 0, 0],
	['nothing', '', 'git', 0, 0],
	['other letters', 'größe', 'große', 0.2, 0.99],
])('%s: the similarity of “%s” and “%s” is between %d and %d', (_name, one, other, least, most) => {
	const value = trigramSimilarity(trigramsOf(one), trigramsOf(other))
	expect(value).toBeGreaterThanOrEqual(least)
	expect(value).toBeLessThanOrEqual(most + 1e-9)
})

test('a score that all have in common is subtracted, and others stay', () => {
	const before = [
		{ id: 1, score: 0.3 },
		{ id: 2, score: 0.25 },
		{ id: 3, score: 0.2 },
		{ id: 4, score: 0.1 },
	]
	const after = [
		{ id: 1, score: 0.45 },
		{ id: 2, score: 0.5 },
		{ id: 3, score: 0.2 },
		{ id: 4, score: 0.3 },
	]
	const ranked = withoutCommon(before, after)
	expect(ranked.map(({ id }) => id)).toEqual([2, 1, 3, 4])
	expect(ranked.map(({ score }) => Math.round(100 * score) / 100)).toEqual([0.3, 0.25, 0.2, 0.1])
	expect(withoutCommon(before, before)).toEqual(before)
	expect(withoutCommon([], [])).toEqual([])
})
