import { LRUCache } from 'lru-cache'
import { renderToString } from 'react-dom/server'
import { dateStyle, relativeTime } from '~/lib/dates.ts'
import type { RenderAlone } from './memo-markup.tsx'
import { NowContext } from './time.tsx'

/** Characters of all cached keys and HTML. A row of a list has about 2,000, a thread of comments a few thousand. */
const MAX_LENGTH = 8_000_000

const rendered = new LRUCache<string, string>({
	maxSize: MAX_LENGTH,
	// A component that cannot be rendered alone has no HTML, and a size must not be 0.
	sizeCalculation: (html, key) => key.length + html.length + 1,
})
const numbers = new WeakMap<object, number>()
let lastNumber = 0

/**
 * For `RenderAloneContext`. HTML depends only on its key, so it cannot become stale.
 * @param now the moment that the page's relative times refer to, in milliseconds since the epoch
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

/** A unique number per component, as two may have the same name. */
function numberOf(Component: object): number {
	const known = numbers.get(Component)
	if (known !== undefined) return known
	lastNumber += 1
	numbers.set(Component, lastNumber)
	return lastNumber
}

/** '' for a component that needs the page around it, such as for a relative link. */
function render(element: React.ReactElement): string {
	try {
		return renderToString(element)
	} catch {
		return ''
	}
}
