import type { MetaDescriptor } from 'react-router'
import { expect, test } from 'vitest'
import { shownText } from '../lists.view.ts'
import { meta as categoryMeta } from './category.tsx'
import { meta as tagMeta } from './tag.tsx'

const list = { search: '', view: 'newest', cursor: null, page: { rows: [], next: null }, description: '' }

/** What search engines show below the title of a page with this many questions. */
function descriptionsFor(count: number): unknown[] {
	const category = categoryMeta({
		loaderData: { ...list, slug: 'python', title: 'Python', count },
		matches: [],
	} as never)
	const tag = tagMeta({ loaderData: { ...list, tag: { name: 'lists', description: '', count } }, matches: [] } as never)
	return [category, tag].map((tags: MetaDescriptor[]) =>
		tags.flatMap((each) => ('name' in each && each.name === 'description' ? each.content : [])).join(),
	)
}

test('lists are described with a number and its noun', () => {
	expect(descriptionsFor(1)).toEqual([
		'1 question of students about Python, with answers.',
		'1 question of students tagged lists, with answers.',
	])
	expect(descriptionsFor(1_200)).toEqual([
		'1,200 questions of students about Python, with answers.',
		'1,200 questions of students tagged lists, with answers.',
	])
})

test('a list says how much of it is shown', () => {
	expect([shownText(20, 12_840), shownText(1_020, null), shownText(21, 20)]).toEqual([
		'1 to 20 of 12,840',
		'1,020 shown',
		'21 shown',
	])
})
