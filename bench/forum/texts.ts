import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { seededRandom } from '~/features/demo/people/people.ts'

/** The texts that a forum is composed of: each is used many times, in new combinations. */
export interface Texts {
	titles: string[]
	bodies: string[]
	answers: string[]
	/** The tags of one question each. */
	tags: string[][]
}

/** In characters; the texts for a million questions must fit into memory. */
const MAX_BODY_LENGTH = 900
const MAX_ANSWER_LENGTH = 450
const MAX_ANSWERS = 40_000

/** The texts of an import file, or of a generated language without one. */
export function readTexts(file: string | undefined): Texts {
	return file ? textsOf(file) : inventTexts()
}

interface Line {
	title: string
	body: string
	tags: string[]
	answers?: { body: string; comments?: { body: string }[] }[]
}

function textsOf(file: string): Texts {
	const texts: Texts = { titles: [], bodies: [], answers: [], tags: [] }
	const raw = readFileSync(file)
	const lines = (file.endsWith('.gz') ? gunzipSync(raw) : raw).toString('utf8').split('\n')
	for (const line of lines) {
		if (!line.trim()) continue
		const { title, body, tags, answers = [] } = JSON.parse(line) as Line
		texts.titles.push(title)
		texts.bodies.push(shorten(body, MAX_BODY_LENGTH))
		texts.tags.push([...new Set(tags)].slice(0, 5))
		for (const { body, comments = [] } of answers)
			texts.answers.push(
				...[body, ...comments.map((comment) => comment.body)].map((each) => shorten(each, MAX_ANSWER_LENGTH)),
			)
	}
	texts.answers.length = Math.min(texts.answers.length, MAX_ANSWERS)
	if (texts.titles.length === 0 || texts.answers.length === 0)
		throw new Error(`${file} holds no questions with answers.`)
	return texts
}

function shorten(text: string, length: number): string {
	return text.length <= length ? text : text.slice(0, text.lastIndexOf(' ', length)).toWellFormed()
}

/** A generated word of at least two syllables for each number. Deterministic. */
export function wordOf(number: number): string {
	const consonants = 'bcdfghklmnprstvw'
	const vowels = 'aeiou'
	let word = ''
	for (let rest = number + 80; rest > 0; rest = Math.floor(rest / 80))
		word += (consonants[Math.floor((rest % 80) / 5)] ?? '') + (vowels[rest % 5] ?? '')
	return word
}

/** Texts with the word frequencies of a natural language: the n-th most frequent word occurs 1/n times as often (Zipf). */
function inventTexts(): Texts {
	const random = seededRandom(7)
	const zipf = (among: number) => Math.floor(among ** random()) - 1
	const words = (count: number) => Array.from({ length: count }, () => wordOf(zipf(30_000))).join(' ')
	const many = <Item>(count: number, make: () => Item) => Array.from({ length: count }, make)
	const some = (least: number, most: number) => least + Math.floor(random() * (most - least))
	return {
		titles: many(7_000, () => words(some(5, 12))),
		bodies: many(7_000, () => words(some(30, 140))),
		answers: many(25_000, () => words(some(10, 70))),
		tags: many(7_000, () => [...new Set(many(some(1, 6), () => wordOf(zipf(1_500))))]),
	}
}
