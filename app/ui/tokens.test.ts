import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

/** What else stands behind `border-`, `text-` and the like: sides, widths and alignment. */
const noColor = /^(transparent|current|inherit|none|left|right|center|balance|pretty|[trblxy](-\d)?)$/
const colorClass = /(?<=[\s"'`:])(?:bg|text|border|accent|fill|ring)-(?:\(--color-)?([a-z][\w-]*)(?=[\s"'`)])/g

test('each colour of a class is one of the design, as any other shows nothing', () => {
	const tokens = readFileSync('app/ui/tokens.css', 'utf8').matchAll(/--(?:color|text)-([\w-]+):/g)
	const known = new Set([...tokens].map(([, name]) => name))
	const unknown = globSync('app/**/*.tsx').flatMap((file) =>
		[...readFileSync(file, 'utf8').matchAll(colorClass)].flatMap(([said, name = '']) =>
			known.has(name) || noColor.test(name) ? [] : [`${file}: ${said}`],
		),
	)
	expect(unknown).toEqual([])
})

test('underlines are drawn by Safari, which ignores the shorthand with a colour or a thickness', () => {
	const sheets = globSync('app/**/*.css').map((file) => readFileSync(file, 'utf8'))
	expect(sheets.join('\n').match(/text-decoration:\s*[^\s;}]+\s+[^\s;}][^;}]*/g)).toBeNull()
	expect(sheets.join('\n')).toContain('text-decoration: underline;')
})
