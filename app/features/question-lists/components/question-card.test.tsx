import { renderToString } from 'react-dom/server'
import { createMemoryRouter, RouterProvider } from 'react-router'
import { expect, test } from 'vitest'
import type { QuestionCardView } from '~/features/questions/question.view.ts'
import { renderAloneAt } from '~/ui/memo-markup.server.tsx'
import { type RenderAlone, RenderAloneContext } from '~/ui/memo-markup.tsx'
import { EmptyList } from './list-page.tsx'
import { QuestionCard } from './question-card.tsx'

const question: QuestionCardView = {
	id: 7,
	url: '/forum/python/mira.quillon/7',
	title: 'Why <b> & not &lt;?',
	excerpt: 'A list of\n<rows>',
	category: { slug: 'python', title: 'Python' },
	author: { username: 'mira.quillon', name: 'Mira Quillon', image: null },
	tags: ['c++', 'lists'],
	createdAt: '2026-11-20T10:00:00.000000Z',
	score: -1,
	commentCount: 0,
	solved: false,
	mayEdit: false,
	mayDelete: false,
}

const cards: [string, QuestionCardView, boolean][] = [
	['a question', question, true],
	['solved, with comments', { ...question, solved: true, commentCount: 3 }, true],
	['with many votes and comments', { ...question, score: -1_234_567, commentCount: 1_234_567 }, true],
	['of the viewer', { ...question, mayEdit: true, mayDelete: true }, true],
	['found by a search', { ...question, titleHtml: '<mark>Why</mark>', excerptHtml: 'A <mark>list</mark>' }, true],
	[
		'found by a comment',
		{
			...question,
			commentMatch: { url: '/forum/python/mira.quillon/7#c3', author: 'Odalys', html: 'A <mark>list</mark>' },
		},
		true,
	],
	[
		'with a picture',
		{ ...question, author: { ...question.author, image: 'avatars/a/0123456789abcdef0123456789abcdef' } },
		true,
	],
	['with a tag that React Router would resolve', { ...question, tags: ['.net'] }, false],
]

test.each(cards)('server and browser render the same row: %s', (_, card, isKept) => {
	const asked: (string | null)[] = []
	const render: RenderAlone = (component, props) => {
		asked.push(renderAloneAt(0)(component, props))
		return asked.at(-1) ?? null
	}
	const draw = (alone: RenderAlone | undefined) => {
		const element = (
			<RenderAloneContext value={alone}>
				<QuestionCard question={card} />
			</RenderAloneContext>
		)
		return renderToString(<RouterProvider router={createMemoryRouter([{ path: '/', element }])} />)
	}
	expect(draw(render)).toBe(draw(undefined))
	// A row that cannot be cached is tried as a whole, and then its lower part alone.
	expect(asked.map((html) => html !== null)).toEqual(isKept ? [true] : [false, false])
})

test.each([
	[0, 'Nobody has asked anything in Python yet.'],
	[3, 'Every query in Python has an answer.'],
])('of %i queries an empty list of the unanswered ones says: %s', (total, words) => {
	const data = { page: { rows: [], next: null }, pinned: [], cursor: null, search: '', tools: null, hasViews: true }
	const list = { title: 'Python', pathname: '/forum/category/python', category: 'python', total }
	const router = createMemoryRouter([
		{ path: '/', element: <EmptyList {...list} data={{ ...data, view: 'unanswered' }} /> },
	])
	expect(renderToString(<RouterProvider router={router} />)).toContain(words)
})
