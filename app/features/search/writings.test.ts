import { expect, test } from 'vitest'
import { fallbackWriting, otherSpelling } from './writings.ts'

test.each<[word: string, spelling: string | null]>([
	['behaviour', 'behavior'],
	['Colors', 'colours'],
	['unfavorable', 'unfavourable'],
	['favourites', 'favorites'],
	['organization', 'organisation'],
	['realised', 'realized'],
	['Tokenizer', 'tokeniser'],
	['emphasize', 'emphasise'],
	['analysed', 'analyzed'],
	['centre', 'center'],
	['kilometers', 'kilometres'],
	['catalog', 'catalogue'],
	['licences', 'licenses'],
	['practise', 'practice'],
	['organise', 'organize'],
	['Optimisation', 'optimization'],
	['tokenise', null],
	['authorisation', null],
	['raise', null],
	['otherwise', null],
	['denoise', null],
	['size', null],
	['enterprises', null],
	['analysis', null],
	['parameter', null],
	['laboratory', null],
	['Colorado', null],
	['color.red', null],
	['GPT4', null],
])('%j is also spelled %j', (word, spelling) => {
	expect(otherSpelling(word)).toBe(spelling)
})

test.each<[word: string, writing: string | null]>([
	['tokenise', 'tokenize'],
	['authorisation', 'authorization'],
	['GPT4', '"gpt 4"'],
	['utf-8', 'utf8'],
	['toll-free', 'toll free'],
	['C4', null],
	['0x80070005', null],
	['tokenize', null],
	['colour', null],
])('if nothing has %j, what has %j is found', (word, writing) => {
	expect(fallbackWriting(word)).toBe(writing)
})
