import { readFileSync, writeFileSync } from 'node:fs'

/** Replaces the text between the markers of this name in a document of this folder, or appends it if there are none. */
export function saveResult(name: string, text: string, document = 'RESULTS.md'): void {
	const file = new URL(document, import.meta.url)
	const marks = [`<!-- ${name} -->`, `<!-- /${name} -->`] as const
	const before = readFileSync(file, 'utf8')
	const [head = '', rest = ''] = before.includes(marks[0]) ? before.split(marks[0]) : [`${before.trimEnd()}\n\n`, '']
	writeFileSync(file, `${head}${marks[0]}\n${text}${marks[1]}${rest.split(marks[1])[1] ?? '\n'}`)
}
