import { expect, test } from 'vitest'
import { withoutDuplicates } from './use-more.ts'

test('a row that two pages of a list contain is shown once, at its first place', () => {
	const rows = [{ id: 3 }, { id: 2 }, { id: 3 }, { id: 1 }]
	expect(withoutDuplicates(rows, ({ id }) => id)).toEqual([{ id: 3 }, { id: 2 }, { id: 1 }])
})
