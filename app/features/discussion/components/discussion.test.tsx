import { renderToStaticMarkup } from 'react-dom/server'
import { createRoutesStub } from 'react-router'
import { expect, test } from 'vitest'
import { sampleComment, sampleQuestion } from '../../../../tests/support/forum-samples.ts'
import type { CommentView } from '../comment.view.ts'
import History from '../routes/history.tsx'
import { type CommentsData, Discussion } from './discussion.tsx'

const mira = { id: 5, username: 'mira.q', name: 'Mira Quillon', image: null, role: 'member' }

interface Drawn {
	rows?: CommentView[]
	solutions?: CommentView[]
	thread?: number
	next?: string
	sort?: CommentsData['sort']
	viewer?: typeof mira | null
	search?: string
	refusal?: Parameters<typeof Discussion>[0]['refusal']
	question?: ReturnType<typeof sampleQuestion>
}

function draw({
	rows = [],
	solutions = [],
	thread,
	next,
	sort = 'oldest',
	viewer = null,
	search = '',
	refusal = null,
	question = sampleQuestion(),
}: Drawn): string {
	const data: CommentsData = {
		page: { rows, next: next ?? null },
		newest: 0,
		sendKey: 'k1',
		sort,
		cursor: null,
		thread: thread ?? null,
		solutions,
	}
	const path = sampleQuestion().url
	const root = { viewer, now: '2026-11-21T07:00:00.000Z' }
	const Stub = createRoutesStub([
		{
			id: 'root',
			path: '/',
			loader: () => root,
			children: [
				// biome-ignore lint/correctness/noComponentHookFactories: drawn once
				{ id: 'page', path, Component: () => <Discussion question={question} data={data} refusal={refusal} /> },
			],
		},
	])
	return renderToStaticMarkup(<Stub initialEntries={[path + search]} hydrationData={{ loaderData: { root } }} />)
}

const own = sampleComment({ id: 2, mayEdit: true, mayDelete: true, body: 'My *own* words' })

test('replies are nested in the comment that they reply to', () => {
	const html = draw({
		rows: [sampleComment({ id: 1, replies: [sampleComment({ id: 2, bodyHtml: '<p>Inner</p>', depth: 1 })] })],
	})
	expect(html).toMatch(/id="comment-1".*comment-replies.*id="comment-2".*Inner.*<\/ul>/)
	expect(html).toContain('Comments (2)')
})

test('a visitor is sent to the login page and back, for a comment and for a reply', () => {
	const html = draw({ rows: [sampleComment({ id: 1 })] })
	expect(html).toContain('href="/login?redirectTo=%2Fforum%2Fjavascript%2Frohan%2F7%23comments"')
	expect(html).toContain('href="/login?redirectTo=%2Fforum%2Fjavascript%2Frohan%2F7%3Freply%3D1%23comment-1"')
	expect(html).not.toContain('<textarea')
})

test('a member has the comment form; other forms open by their address', () => {
	expect(draw({ rows: [own], viewer: mira }).match(/<textarea/g)).toHaveLength(1)
	expect(draw({ rows: [own], viewer: mira, search: '?reply=2' })).toContain('id="reply-2"')
	expect(draw({ rows: [own], viewer: mira, search: '?edit=2' })).toMatch(
		/id="edit-comment-2"[^>]*>My \*own\* words<\/textarea>/,
	)
	expect(draw({ rows: [own], viewer: mira, search: '?delete-comment=2' })).toContain('Delete this comment?')
})

test('the address opens no form that the viewer may not use', () => {
	const html = draw({ rows: [sampleComment({ id: 1 })], viewer: mira, search: '?edit=1&delete-comment=1' })
	expect(html).not.toContain('edit-comment-1')
	expect(html).not.toContain('Delete this comment?')
})

test.each([
	['merged', sampleQuestion({ locked: true, unpublished: { status: 'merged', rejected: false, reason: '' } })],
	['hidden', sampleQuestion({ locked: true, unpublished: { status: 'hidden', rejected: false, reason: '' } })],
	['deleted', sampleQuestion({ deletedBy: 'author' })],
])('a %s query offers no action that would be refused; an own comment can be deleted', (status, question) => {
	const rows = [own, sampleComment({ id: 3, mayChoose: true })]
	const html = draw({ rows, viewer: mira, question })
	expect(html).toContain('Abort it.')
	for (const offer of ['<form', '<button', 'edit=2', 'delete-comment=3', 'reply=']) expect(html).not.toContain(offer)
	// Everybody still reads what was merged, and the comments that are left of what was deleted.
	expect(html.includes('/report/')).toBe(status !== 'hidden')
	// The plain address of a merged query leads to the other one.
	const start = status === 'merged' ? '?original=1&amp;' : '?'
	expect(html).toContain(`${question.url}${start}delete-comment=2#comment-2`)
	for (const [, address] of draw({ rows, viewer: mira, question, thread: 2 }).matchAll(/href="([^"]*)#comments"/g))
		expect(address).toBe(status === 'merged' ? `${question.url}?original=1` : question.url)
})

test.each([
	[true, 'A moderator rejected this comment.'],
	[false, 'A moderator hid this comment.'],
])('a hidden comment says whether it was ever published: rejected %s', (rejected, words) => {
	const comment = sampleComment({ id: 4, own: true, unpublished: { status: 'hidden', rejected, reason: 'Shoes.' } })
	expect(draw({ rows: [comment], viewer: mira })).toContain(words)
})

test('a refused reply is shown in its form again with what was typed', () => {
	const refusal = {
		message: 'Write something first.',
		errors: {},
		values: { box: 'reply-2', body: '   typed' },
		stored: null,
	}
	const html = draw({ rows: [own], viewer: mira, refusal })
	expect(html).toMatch(/id="reply-2"[^>]*aria-invalid="true"[^>]*>\s+typed<\/textarea>/)
	expect(html).toContain('Write something first.')
})

test('a conflicting edit is shown with both texts and continues from the stored version', () => {
	const values = { box: 'edit-comment-2', body: 'What I typed', version: '1' }
	const stored = { version: 4, values: { body: 'What is stored' } }
	const refusal = { message: 'Changed meanwhile.', errors: {}, values, stored }
	const html = draw({ rows: [own], viewer: mira, refusal })
	expect(html).toContain('<input type="hidden" name="version" value="4"/>')
	expect(html).toMatch(/Saved version.*What is stored.*You typed.*What I typed/)
	expect(html).toMatch(/id="edit-comment-2"[^>]*>What I typed<\/textarea>/)
	expect(html).toMatch(/value="edit-comment-2" name="box">Keep mine/)
})

test('the forms of a page in another order submit to that order', () => {
	const html = draw({ rows: [own], viewer: mira, sort: 'best', search: '?sort=best&reply=2' })
	expect(html.match(/action="\/forum\/javascript\/rohan\/7\?sort=best"/g)).toHaveLength(2)
	expect(html).toContain('href="/forum/javascript/rohan/7?sort=best&amp;edit=2#comment-2"')
})

test('an accepted answer is shown once with its own anchor, and its thread links to it', () => {
	const nested = sampleComment({ id: 9, depth: 1, solution: true, bodyHtml: '<p>The way</p>' })
	const html = draw({ rows: [sampleComment({ id: 1, replies: [nested] })], solutions: [nested] })
	expect(html.match(/The way/g)).toHaveLength(1)
	expect(html.match(/id="comment-9"/g)).toHaveLength(1)
	expect(html.indexOf('The way')).toBeLessThan(html.indexOf('id="comment-1"'))
	expect(html).toContain('This is the accepted answer, shown above.')
})

test('a deleted comment keeps its place and can be neither replied to nor edited', () => {
	const html = draw({
		rows: [sampleComment({ id: 1, deleted: true, author: null, replies: [sampleComment({ id: 2 })] })],
		viewer: mira,
	})
	expect(html).toContain('This comment was deleted.')
	expect(html).not.toContain('?reply=1#')
	expect(html).toContain('?reply=2#')
})

test('replies deeper than the page shows are a link to their thread', () => {
	const html = draw({ rows: [sampleComment({ id: 4, depth: 3, hiddenReplies: 3 })] })
	expect(html).toContain('href="/forum/javascript/rohan/7?thread=4#comments"')
	expect(html).toContain('(3 more)')
})

test('a thread shown by itself links back to all comments, and its forms stay there', () => {
	const html = draw({ rows: [own], thread: 2, viewer: mira, search: '?thread=2&reply=2' })
	expect(html).toContain('Show all comments')
	expect(html).toContain('action="/forum/javascript/rohan/7?thread=2"')
	expect(html).toContain('<input type="hidden" name="thread" value="2"/>')
})

test('more comments are a real link', () => {
	expect(draw({ rows: [sampleComment()], next: 'abc' })).toContain(
		'href="/forum/javascript/rohan/7?cursor=abc" rel="next"'.split(' rel')[0] ?? '',
	)
})

test.each([
	[
		{ url: 'https://www.startups.example/q/1', licence: 'CC BY-SA 4.0' },
		/From <a[^>]*>startups\.example<\/a>, CC BY-SA 4\.0/,
	],
	[{ url: null, licence: 'CC BY 4.0' }, /<p class="meta mt-3">CC BY 4\.0<\/p>/],
	[{ url: 'javascript:alert(1)', licence: 'CC0' }, /<p class="meta mt-3">CC0<\/p>/],
])('an imported text names its source: %j', (origin, expected) => {
	expect(draw({ rows: [sampleComment({ origin })] })).toMatch(expected)
})

test('the date of an edit stays in order after a name that is written from right to left', () => {
	const by = { username: 'dana', name: 'דנה' }
	const edits = [{ at: '2026-11-21T07:00:00.000Z', by, byModerator: false, changes: [] }]
	const loaderData = { id: 7, what: 'query', history: { title: 'Why', url: '/forum/others/dana/7', edits, next: null } }
	const Stub = createRoutesStub([{ id: 'page', path: '/', Component: History as never, loader: () => loaderData }])
	const html = renderToStaticMarkup(<Stub hydrationData={{ loaderData: { page: loaderData } }} />)
	expect(html).toMatch(/<bdi><a [^>]*>דנה<\/a><\/bdi> <time/)
})
