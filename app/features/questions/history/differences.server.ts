import { diffLines, diffWordsWithSpace } from 'diff'
import type { DifferencePart } from '../question.view.ts'

/** Texts that differ in more places than this are compared by line: comparing costs length times differences. */
const mostEdits = 1_500
/** Of a long passage that stayed the same only its ends are told, in characters. */
const longestSame = 600

/** What an edit took out of a text and what it brought, word by word; by line where the texts differ too much. */
export function differences(before: string, after: string): DifferencePart[] {
	const options = { maxEditLength: mostEdits }
	const found = diffWordsWithSpace(before, after, options) ??
		diffLines(before, after, options) ?? [
			{ value: before, removed: true },
			{ value: after, added: true },
		]
	return found.map(({ value, added, removed }) => {
		if (added) return { kind: 'added', text: value }
		if (removed) return { kind: 'removed', text: value }
		return { kind: 'same', text: shortened(value) }
	})
}

function shortened(text: string): string {
	if (text.length <= longestSame) return text
	const end = longestSame / 2
	return `${text.slice(0, end)} […] ${text.slice(-end)}`.toWellFormed()
}
