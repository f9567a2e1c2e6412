import { renderToString } from 'react-dom/server'
import { expect, test } from 'vitest'
import { Link } from './link.tsx'
import { renderAloneAt } from './memo-markup.server.tsx'
import { MemoMarkup, RenderAloneContext } from './memo-markup.tsx'
import { RelativeTime } from './time.tsx'

const noon = Date.parse('2026-11-23T12:00:00Z')
let rendered = 0

function Greeting({ name, to, isOwn }: { name: string; to: string; isOwn?: boolean }) {
	rendered += 1
	return (
		<p>
			Hello {name}, <Link to={to}>there</Link> {isOwn && <button type="button">Edit</button>}
		</p>
	)
}

function Written({ at }: { at: string }) {
	rendered += 1
	return <RelativeTime at={at} />
}

/** Another component of the same name. */
const other = {
	Greeting: ({ name }: { name: string }) => <b>{name}</b>,
}

function page(part: React.ReactElement, alone = true, now = noon): string {
	return renderToString(<RenderAloneContext value={alone ? renderAloneAt(now) : undefined}>{part}</RenderAloneContext>)
}

const greet = (given: Parameters<typeof Greeting>[0]) => (
	<MemoMarkup as="nav" className="hello" aria-label="Hello" of={Greeting} with={given} />
)

test('equal props are rendered once, others separately, and each as it would be in place', () => {
	const people = [
		{ name: 'Mira', to: '/forum' },
		{ name: 'Mira', to: '/forum', isOwn: true },
		{ name: 'Mira', to: '/forum/python' },
		{ name: '","to":"/forum"}', to: '/forum' },
		{ name: '<b>&', to: '/forum' },
	]
	const inPlace = people.map((given) => page(greet(given), false))
	expect(new Set(inPlace).size).toBe(people.length)
	rendered = 0
	for (let visit = 0; visit < 3; visit += 1) expect(people.map((given) => page(greet({ ...given })))).toEqual(inPlace)
	expect(rendered).toBe(people.length)
	const named = <MemoMarkup as="nav" className="hello" of={other.Greeting} with={{ name: 'Mira', to: '/forum' }} />
	expect(page(named)).toBe('<nav class="hello"><b>Mira</b></nav>')
})

test('relative times refer to the moment of the page, and are rendered again only when their text changes', () => {
	const at = '2026-11-23T11:58:30Z'
	const written = <MemoMarkup as="li" of={Written} with={{ at }} times={[at]} />
	rendered = 0
	const told = [0, 10_000, 40_000, 45_000].map((later) => page(written, true, noon + later))
	expect(told.map((html) => html.replace(/<[^>]+>/g, ''))).toEqual(['1 min ago', '1 min ago', '2 min ago', '2 min ago'])
	expect(rendered).toBe(2)
})

test('markup that depends on the page is rendered in place', () => {
	const given = { name: 'Mira', to: '?page=2' }
	expect(renderAloneAt(noon)(Greeting, given)).toBeNull()
	expect(() => page(greet(given))).toThrow()
})

test('unused markup is evicted, used markup stays', () => {
	const text = 'x'.repeat(100_000)
	page(greet({ name: 'always', to: '/forum' }))
	page(greet({ name: 'once', to: '/forum' }))
	for (let size = 0; size < 100; size += 1) {
		page(greet({ name: `${text}${size}`, to: '/forum' }))
		page(greet({ name: 'always', to: '/forum' }))
	}
	rendered = 0
	page(greet({ name: 'always', to: '/forum' }))
	expect(rendered).toBe(0)
	page(greet({ name: 'once', to: '/forum' }))
	expect(rendered).toBe(1)
})
