import { expect, test } from 'vitest'
import { keepTogether } from './members.view.ts'

test('on a page, a branch and skills may break between words, but not year and semester', () => {
	const lines = [
		['', ''],
		['Data Science', 'Data Science'],
		['Data Science, 3rd year', 'Data Science, 3rd_year'],
		['Data Science, 3rd year, semester 6', 'Data Science, 3rd_year,_semester_6'],
		['Data Science, semester 10', 'Data Science, semester_10'],
		['CSE, 2nd year · React Native, Go', 'CSE, 2nd_year · React Native, Go'],
	]
	for (const [text = '', shown] of lines) expect(keepTogether(text).replaceAll('\u00a0', '_')).toBe(shown)
})
