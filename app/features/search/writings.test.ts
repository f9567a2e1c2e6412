import { expect, test } from 'vitest'
import { otherWritings } from './writings.ts'

test.each<[word: string, others: string[]]>([
	['behaviour', ['behavior']],
	['Colors', ['colours']],
	['unfavorable', ['unfavourable']],
	['organisation', ['organization']],
	['serializer', ['serialiser']],
	['analysed', ['analyzed']],
	['centre', ['center']],
	['kilometers', ['kilometres']],
	['catalog', ['catalogue']],
	['licences', ['licenses']],
	['practise', ['practice']],
	['GPT4', ['"gpt 4"']],
	['utf-8', ['utf8']],
	['C4', []],
	['raise', []],
	['otherwise', []],
	['size', []],
	['enterprises', []],
	['analysis', []],
	['parameter', []],
	['0x80070005', []],
])('%j is also written %j', (word, others) => {
	expect(otherWritings(word)).toEqual(others)
})
