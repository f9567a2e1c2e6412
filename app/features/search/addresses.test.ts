import { expect, test } from 'vitest'
import { slugOf } from '~/lib/addresses.ts'
import { permalinkOf, questionUrl } from './search.view.ts'

test.each([
	['How do I undo a rebase in git?', 'how-do-i-undo-a-rebase-in-git'],
	['Déjà vu: the naïve “fix” doesn’t work', 'deja-vu-the-naive-fix-doesnt-work'],
	['C++ or C#', 'c-or-c'],
	['  a / b \\ c?d=e#f%20g  ', 'a-b-c-d-e-f-20g'],
	['../../etc', 'etc'],
	['डेटा संरचना', ''],
	['データ構造 in Python', 'in-python'],
	['', ''],
	[`${'word '.repeat(30)}end`, Array(12).fill('word').join('-')],
	['x'.repeat(100), 'x'.repeat(60)],
	[`short ${'y'.repeat(100)}`, 'short'],
])('the title “%s” becomes “%s” in an address', (title, slug) => {
	expect(slugOf(title, 60)).toBe(slug)
	expect(slug.length).toBeLessThanOrEqual(60)
	const url = questionUrl({ id: 7, username: 'mira.q', category_slug: 'git-and-tools', title })
	expect(url).toBe(slug ? `/forum/git-and-tools/mira.q/7/${slug}` : '/forum/git-and-tools/mira.q/7')
	expect(permalinkOf(url)).toBe('/forum/git-and-tools/mira.q/7')
})
