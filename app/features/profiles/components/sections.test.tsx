import { renderToStaticMarkup } from 'react-dom/server'
import { createRoutesStub } from 'react-router'
import { expect, test } from 'vitest'
import { OwnPosts } from './posts.tsx'
import { Academics, type AcademicsView, Experience, Projects } from './sections.tsx'

const nothing: AcademicsView = {
	studies: { branch: '', year: null, semester: null },
	university: '',
	location: '',
	yearOfPassing: null,
	experiences: [],
	enrolmentNumber: '',
	universityEmail: '',
}
const earlier = {
	...{ id: '1', kind: 'education' as const, organisation: 'Old School', title: 'Diploma' },
	...{ url: '', span: '', summary: '' },
}

test.each<[string, Partial<AcademicsView>, boolean, string[]]>([
	['nothing', {}, false, ['Nothing written yet.']],
	['only a location', { location: 'Eastmere' }, false, ['Eastmere']],
	[
		'a branch and a location',
		{ studies: { ...nothing.studies, branch: 'CSE' }, location: 'Eastmere' },
		false,
		['CSE', 'Eastmere'],
	],
	['only a year', { studies: { ...nothing.studies, year: 2 } }, false, ['Year 2']],
	[
		'the enrolment number, to its owner',
		{ enrolmentNumber: 'EIT23' },
		true,
		['Enrolment number', 'EIT23 (only you see this)'],
	],
	['the enrolment number, to others', { enrolmentNumber: 'EIT23' }, false, ['Nothing written yet.']],
	[
		'the enrolment number and earlier studies',
		{ enrolmentNumber: 'EIT23', experiences: [earlier] },
		true,
		['Enrolment number', 'EIT23 (only you see this)', 'Diploma', 'Old School'],
	],
])('academics with %s', (_what, given, own, texts) => {
	const html = renderToStaticMarkup(<Academics profile={{ ...nothing, ...given }} own={own} />)
	const shown = html
		.replace(/<span class="meta">/g, '')
		.split(/<[^>]*>/)
		.filter(Boolean)
	expect(shown).toEqual(texts)
	expect(html).not.toMatch(/<h3[^>]*><\/h3>|<p[^>]*><\/p>/)
})

test.each(['Tester', ''])('the place of an entry called %j leads to its website', (title) => {
	const entry = { ...earlier, kind: 'work' as const, organisation: 'Lamp Works', title, url: 'https://lamps.example/' }
	const html = renderToStaticMarkup(<Experience experiences={[entry]} />)
	expect(html).toMatch(/<a [^>]*href="https:\/\/lamps.example\/"[^>]*>Lamp Works<\/a>/)
	expect(html).not.toMatch(/<p[^>]*><\/p>/)
})

test('the description of a project keeps its lines', () => {
	const project = { id: '1', title: 'wick', description: 'One.\n\nTwo.', image: null, stack: [], date: null }
	const html = renderToStaticMarkup(<Projects projects={[{ ...project, links: [], pinned: false }]} />)
	expect(html).toMatch(/<p class="[^"]*whitespace-pre-line[^"]*">One\.\n\nTwo\.<\/p>/)
})

test.each([
	[null, 'No Queries Found!', false],
	['cursor', 'No more queries.', true],
])('a page of posts at the cursor %j without any says %j', (cursor, text, leadsBack) => {
	const page = { rows: [], next: null }
	const Stub = createRoutesStub([
		{
			id: 'root',
			path: '/find-dev/mira',
			loader: () => ({}),
			// biome-ignore lint/correctness/noComponentHookFactories: drawn once
			Component: () => <OwnPosts page={page} cursor={cursor} kind="queries" params={{ posts: 'queries' }} />,
		},
	])
	const html = renderToStaticMarkup(
		<Stub initialEntries={['/find-dev/mira']} hydrationData={{ loaderData: { root: { viewer: null } } }} />,
	)
	expect(html).toContain(text)
	expect(html.includes('href="/find-dev/mira?posts=queries"')).toBe(leadsBack)
})
