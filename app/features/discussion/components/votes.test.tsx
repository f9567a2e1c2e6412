import type { ReactNode } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { createRoutesStub } from 'react-router'
import { expect, test } from 'vitest'
import type { QuestionPageView } from '~/features/questions/question.view.ts'
import { Synonyms } from '~/features/tags/components/synonyms.tsx'
import { TagIntro } from '~/features/tags/components/tag-intro.tsx'
import { sampleQuestion } from '../../../../tests/support/forum-samples.ts'
import { QuestionVotes, useQuestionVotes } from './votes.tsx'

const mira = { id: 5, username: 'mira.q', name: 'Mira Quillon', image: null, role: 'member' }

function draw(children: ReactNode, viewer: typeof mira | null = mira): string {
	const root = { viewer }
	const Stub = createRoutesStub([
		{
			id: 'root',
			path: '/',
			loader: () => root,
			// biome-ignore lint/correctness/noComponentHookFactories: drawn once
			children: [{ index: true, Component: () => children }],
		},
	])
	return renderToStaticMarkup(<Stub initialEntries={['/']} hydrationData={{ loaderData: { root } }} />)
}

function Votes({ of, signedIn = true }: { of: QuestionPageView; signedIn?: boolean }) {
	return <QuestionVotes ballot={useQuestionVotes(of, signedIn)} place="column" />
}

test.each<[QuestionPageView['vote'], string[]]>([
	[0, ['value="1" aria-pressed="false"', 'value="-1" aria-pressed="false"']],
	[1, ['value="0" aria-pressed="true"', 'value="-1" aria-pressed="false"']],
	[-1, ['value="1" aria-pressed="false"', 'value="0" aria-pressed="true"']],
])('with the vote %i, each button sends the resulting vote', (vote, buttons) => {
	const html = draw(<Votes of={sampleQuestion({ vote, score: 7 })} />)
	for (const button of buttons) expect(html).toContain(button)
	expect(html).toMatch(/action="\/forum\/vote".*name="query" value="7"/)
})

test('the viewer’s own texts show their score and no buttons', () => {
	const html = draw(<Votes of={sampleQuestion({ own: true, score: 1 })} />)
	expect(html).toMatch(/>1<\/span> <span class="meta">vote</)
	expect(html).not.toContain('<button')
})

test('a visitor is sent to the login page and back', () => {
	const html = draw(<Votes of={sampleQuestion()} signedIn={false} />, null)
	expect(html.match(/\/login\?redirectTo=%2Fforum%2Fjavascript%2Frohan%2F7/g)).toHaveLength(2)
	expect(html).not.toContain('<form')
})

const tag = {
	id: 3,
	name: 'c++',
	count: 2,
	description: 'A <language>.',
	synonyms: ['cpp'],
	parents: ['c'],
	children: [],
	following: true,
}

test('a tag shows its description, its synonyms, related tags, and that it is followed', () => {
	const html = draw(
		<TagIntro {...{ tag, related: [{ name: 'c#', count: 1 }] }} mayDescribe={false} describing refusal={null} />,
	)
	expect(html).toContain('A &lt;language&gt;.')
	expect(html).toContain('Also written cpp')
	expect(html).toContain('href="/forum/tag/c%23"')
	expect(html).toMatch(/value="0" aria-pressed="true" aria-label="Follow #c\+\+"[^>]*>Following</)
	expect(html).not.toContain('<textarea')
})

test('a moderator can describe a tag, and a refused text is shown again', () => {
	const message = 'Too long.'
	const refusal = { message, errors: { description: message }, values: { description: 'typed' }, stored: null }
	const html = draw(<TagIntro {...{ tag, related: [] }} mayDescribe describing refusal={refusal} />)
	expect(html).toMatch(/<textarea[^>]*aria-invalid="true"[^>]*>typed<\/textarea>/)
	expect(html).toContain('action="/forum/tag/c%2B%2B?describe=1"')
})

test('a moderator sees synonyms below their tags, each with a button to remove it', () => {
	const html = draw(<Synonyms synonyms={[{ main: 'javascript', names: ['ecmascript', 'js'] }]} refusal={null} />)
	expect(html).toMatch(/value="js" aria-label="Separate js from javascript"[^>]*name="name"/)
	expect(html).toContain('<span>2</span>')
})
