import { renderToString } from 'react-dom/server'
import type { RenderAlone } from './memo-markup.tsx'

/** Characters of keys and HTML that one generation holds; there are two. A row of a list has about 2,000. */
const MAX_GENERATION_LENGTH = 4_000_000

/** Two generations of values: what is asked for moves to the young one, and with a full young one the old one goes. */
class Generations {
	#young = new Map<string, string>()
	#old = new Map<string, string>()
	#length = 0

	get(key: string): string | undefined {
		const young = this.#young.get(key)
		if (young !== undefined) return young
		const old = this.#old.get(key)
		if (old !== undefined) this.set(key, old)
		return old
	}

	set(key: string, value: string): void {
		this.#young.set(key, value)
		this.#length += key.length + value.length
		if (this.#length < MAX_GENERATION_LENGTH) return
		this.#old = this.#young
		this.#young = new Map()
		this.#length = 0
	}
}

const kept = new Generations()
const numbers = new WeakMap<object, number>()
let lastNumber = 0

/** For {@link RenderAloneContext}. As HTML depends on nothing but its key, none of it can be out of date. */
export const renderAlone: RenderAlone = (Component, props) => {
	const key = `${numberOf(Component)}${JSON.stringify(props)}`
	let html = kept.get(key)
	if (html === undefined) {
		html = rendered(<Component {...props} />)
		kept.set(key, html)
	}
	return html || null
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
function rendered(element: React.ReactElement): string {
	try {
		return renderToString(element)
	} catch {
		return ''
	}
}
