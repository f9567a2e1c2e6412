import { LRUCache } from 'lru-cache'
import { renderToString } from 'react-dom/server'
import { dateStyle, relativeTime } from '~/lib/dates.ts'
import type { RenderAlone } from './memo-markup.tsx'
import { NowContext } from './time.tsx'

/** Characters of keys and HTML that are held together. A row of a list has about 2,000, a thread of comments a few thousand. */
const MAX_LENGTH = 8_000_000

const rendered = new LRUCache<string, string>({
	maxSize: MAX_LENGTH,
	// What cannot be rendered by itself has no HTML, and a size must not be 0.
	sizeCalculation: (html, key) => key.length + html.length + 1,
})
const numbers = new WeakMap<object, number>()
let lastNumber = 0

/**
 * For {@link RenderAloneContext}. As HTML depends on nothing but its key, none of it can be out of date.
 * @param now the moment that the page's relative times count from, in milliseconds of the epoch
 */
export function renderAloneAt(now: number): RenderAlone {
	return (Component, props, times = []) => {
		const words = [dateStyle.locale, dateStyle.zone, ...times.map((at) => relativeTime(at, now))].join()
		const key = `${numberOf(Component)} ${words} ${JSON.stringify(props)}`
		let html = rendered.get(key)
		if (html === undefined) {
			html = render(
				<NowContext value={now}>
					<Component {...props} />
				</NowContext>,
			)
			rendered.set(key, html)
		}
		return html || null
	}
}

/** Names a component, as the names of two may be the same. */
function numberOf(Component: object): number {
	const known = numbers.get(Component)
	if (known !== undefined) return known
	lastNumber += 1
	numbers.set(Component, lastNumber)
	return lastNumber
}

/** '' for what needs the page around it, such as a link whose address has to be resolved against the page's own. */
function render(element: React.ReactElement): string {
	try {
		return renderToString(element)
	} catch {
		return ''
	}
}
