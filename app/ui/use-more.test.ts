import { expect, test } from 'vitest'
import { withoutDoubles } from './use-more.ts'

test('a row that two pages of a list contain is shown once, at its first place', () => {
	const rows = [{ id: 3 }, { id: 2 }, { id: 3 }, { id: 1 }]
	expect(withoutDoubles(rows, ({ id }) => id)).toEqual([{ id: 3 }, { id: 2 }, { id: 1 }])
})
