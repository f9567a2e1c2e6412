import { readFileSync, writeFileSync } from 'node:fs'

const file = new URL('./RESULTS.md', import.meta.url)

/** Replaces the text between the markers of this name in RESULTS.md, or appends it if there are none. */
export function saveResult(name: string, text: string): void {
	const marks = [`<!-- ${name} -->`, `<!-- /${name} -->`] as const
	const before = readFileSync(file, 'utf8')
	const [head = '', rest = ''] = before.includes(marks[0]) ? before.split(marks[0]) : [`${before.trimEnd()}\n\n`, '']
	writeFileSync(file, `${head}${marks[0]}\n${text}${marks[1]}${rest.split(marks[1])[1] ?? '\n'}`)
}
