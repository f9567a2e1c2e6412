import { tagOfName } from './terms.view.ts'

/** A term of the data file. */
export interface StartTerm {
	name: string
	tag: string
	/** Spellings other than the name and the tag. */
	aliases: string[]
	/** Names of other terms in the file. */
	parents: string[]
	description: string
}

/**
 * Parses the data file. `= Description < Parent` starts a section, whose terms share the description and parent; `Name | alias | #tag <
 * Parent, Parent` is a term. A tag is only given if it is not derived from the name.
 */
export function parseStartSet(lines: Iterable<string>): StartTerm[] {
	const terms: StartTerm[] = []
	let section = { text: '', parents: [] as string[] }
	for (const line of lines) {
		const { text, parents } = split(line)
		if (text.startsWith('= ')) {
			section = { text: `${text.slice(2)}.`, parents }
			continue
		}
		const [name = '', ...others] = text.split(' | ')
		const tag = others.find((one) => one.startsWith('#'))?.slice(1) ?? tagOfName(name)
		const aliases = others.filter((one) => !one.startsWith('#'))
		const above = [...new Set([...parents, ...section.parents])].filter((parent) => parent !== name)
		terms.push({ name, tag, aliases, parents: above, description: section.text })
	}
	return terms
}

function split(line: string): { text: string; parents: string[] } {
	const [text = '', after = ''] = line.split(' < ')
	return { text, parents: after ? after.split(', ') : [] }
}
