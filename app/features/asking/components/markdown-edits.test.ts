import { expect, test } from 'vitest'
import { toolOfKey } from './markdown-editor.tsx'
import { blockAfter, type Edit, type EditKind, editOf, type TextSelection } from './markdown-edits.ts'

/** `[` and `]` mark the selection before and after. */
test.each<[EditKind, string, string]>([
	['bold', 'a [word] b', 'a **[word]** b'],
	['bold', 'a **[word]** b', 'a [word] b'],
	['bold', 'a [**word**] b', 'a [word] b'],
	['bold', 'a [ word ]b', 'a  **[word]** b'],
	['bold', 'a []b', 'a **[bold text]**b'],
	['bold', 'cost: [$1 $& $$]', 'cost: **[$1 $& $$]**'],
	['italic', '[word]', '_[word]_'],
	['italic', '_[word]_', '[word]'],
	['italic', '__[word]__', '___[word]___'],
	['code', 'a [b] c', 'a `[b]` c'],
	['code', '[a\nb]', '```\n[a\nb]\n```'],
	['block', 'Look:\n[const a]', 'Look:\n\n```\n[const a]\n```'],
	['block', '[```\nx\n```]', '[x]'],
	['block', 'a [```] b', '````\n[a ``` b]\n````'],
	['block', '[]', '```\n[]\n```'],
	['quote', 'one [two]\nthree', '> one two[]\nthree'],
	['quote', '[one\n\ntwo]', '[> one\n\n> two]'],
	['quote', '[> one\n> two]', '[one\ntwo]'],
	['list', '[one\ntwo]', '[- one\n- two]'],
	['list', '[- one\n- two]', '[one\ntwo]'],
	['list', '[]', '- []'],
	['numbers', '[one\ntwo\n\nthree]', '[1. one\n2. two\n\n3. three]'],
	['numbers', '[1. one\n2. two]', '[one\ntwo]'],
	['heading', 'a [title]', '## a title[]'],
	['heading', '## [title]', 'title[]'],
])('%s turns %j into %j', (kind, before, after) => {
	const selected = read(before)
	expect(shown(selected, editOf(kind, selected))).toBe(after)
})

test.each([
	['see {docs} here', 'see [docs](', 'https://'],
	['see {} here', 'see [link text](https://) here', 'link text'],
	['{https://a.example/b}', '[link text](https://a.example/b)', 'link text'],
])('a link of %j reads %j with %j selected', (before, text, selection) => {
	const from = before.indexOf('{')
	const selected = { text: before.replace(/[{}]/g, ''), from, to: before.indexOf('}') - 1 }
	const edit = editOf('link', selected)
	const after = applied(selected, edit)
	expect(after).toContain(text)
	expect(after.slice(...edit.select)).toBe(selection)
})

test.each([
	['', 0, 'P\n'],
	['one\ntwo', 1, 'one\n\nP\n\ntwo'],
	['one', 3, 'one\n\nP\n'],
])('a picture goes below the line: %j at %i gives %j', (text, at, after) => {
	expect(applied({ text, from: at, to: at }, blockAfter(text, at, 'P'))).toBe(after)
})

function read(marked: string): TextSelection {
	const from = marked.indexOf('[')
	return { text: marked.replace('[', '').replace(']', ''), from, to: marked.indexOf(']') - 1 }
}

function applied({ text }: TextSelection, { from, to, insert }: Edit): string {
	return text.slice(0, from) + insert + text.slice(to)
}

function shown(selected: TextSelection, edit: Edit): string {
	const after = applied(selected, edit)
	const [from, to] = edit.select
	return `${after.slice(0, from)}[${after.slice(from, to)}]${after.slice(to)}`
}

test.each([
	['Ctrl B', { key: 'b' }, 'bold'],
	['Ctrl B with Caps Lock', { key: 'B' }, 'bold'],
	['Ctrl E with Caps Lock', { key: 'E' }, 'code'],
	['Ctrl Shift E', { key: 'E', shiftKey: true }, 'block'],
	['Ctrl Shift E with Caps Lock', { key: 'e', shiftKey: true }, 'block'],
	['Ctrl Shift 8', { key: '(', code: 'Digit8', shiftKey: true }, 'list'],
	['Ctrl Alt B', { key: 'b', altKey: true }, null],
])('%s', (_, pressed, kind) => {
	const event = { ctrlKey: true, metaKey: false, altKey: false, shiftKey: false, code: '', ...pressed }
	expect(toolOfKey(event as Parameters<typeof toolOfKey>[0])).toBe(kind)
})
