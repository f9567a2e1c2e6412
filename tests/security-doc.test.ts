import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'

/* docs/security.md names for each ASVS 5.0 row in scope the test that covers it, why none is needed, or when it will be met. */

const root = new URL('..', import.meta.url)
const text = readFileSync(new URL('docs/security.md', root), 'utf8')

interface Row {
	id: string
	level: string
	state: string
	shownBy: string
}

const rows: Row[] = [...text.matchAll(/^\| (V\d+\.\d+\.\d+) \| (L[12]) \| [^|]+ \| (\w+) \| (.+) \|$/gm)].map(
	([, id = '', level = '', state = '', shownBy = '']) => ({ id, level, state, shownBy }),
)
const open = rows.filter(({ state }) => state === 'open')

describe('the table of ASVS rows', () => {
	test('contains the 204 rows in scope once each, in one of three states', () => {
		expect(rows).toHaveLength(204)
		expect(new Set(rows.map(({ id }) => id)).size).toBe(204)
		expect(rows.filter(({ state }) => !['tested', 'reason', 'open'].includes(state))).toEqual([])
	})

	test('names existing tests', () => {
		const files = rows.filter(({ state }) => state === 'tested').map(({ shownBy }) => shownBy.replaceAll('`', ''))
		expect(
			files.filter((file) => !/\.(test|spec|fault)\.tsx?$/.test(file) || !existsSync(new URL(file, root))),
		).toEqual([])
	})

	test('has no open row of level 1, and at most 12 of level 2, each with a reason and a date', () => {
		expect(open.filter(({ level }) => level === 'L1')).toEqual([])
		expect(open.length).toBeLessThanOrEqual(12)
		expect(open.filter(({ shownBy }) => !/\w{3,} .+\b20\d\d-\d\d\.$/.test(shownBy))).toEqual([])
	})
})
