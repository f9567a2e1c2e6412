/** Scripts start this many milliseconds after the document and its stylesheet have loaded, even if nothing was painted. */
const MAX_WAIT_MS = 1_000

/**
 * Starts the scripts of a page after its first paint: until then, network and processor are free for the document, the stylesheet
 * and the fonts. A background tab paints nothing, and starts them at once.
 * React Router's `Scripts` has no option for that, so its output is rewritten: the script that imports the page's modules becomes
 * inert, and a starter after it fetches them all at once. React does not compare attributes of scripts during hydration.
 * @param head of a page as `ServerRouter` renders it, with links to the modules
 * @param foot of the same page, from its first route script on
 * @param nonce of its inline scripts
 */
export function deferScripts(head: string, foot: string, nonce: string | undefined): { head: string; foot: string } {
	const files: string[] = []
	const withoutLinks = (html: string) =>
		html.replaceAll(/<link rel="modulepreload" href="([^"]+)"[^>]*>/g, (_, file: string) => {
			files.push(file)
			return ''
		})
	const [newHead, newFoot] = [withoutLinks(head), withoutLinks(foot)]
	const starter = `<script${nonceAttribute(nonce)}>(${startAfterPaint})(${MAX_WAIT_MS})</script>`
	return {
		head: newHead,
		foot: newFoot.replace(
			/<script([^>]*) type="module" async="">([\s\S]*?)<\/script>/,
			(_, attributes: string, text: string) =>
				// JSON has no line breaks, and each statement ends with a semicolon.
				`<script${attributes} type="text/plain" data-files="${files.join(' ')}">${text.replaceAll(/\n\s*|"has\w+": false,/g, '')}</script>${starter}`,
		),
	}
}

/** React Router's code that opens the stream of a page's data. */
const openStream = '{window.__reactRouterContext.streamController = controller;}'

/** The data of a page, as UTF-8 in a string of bytes. */
export interface PageData {
	/** As JSON, see {@link plainJson}, or in React Router's encoding. */
	isJson: boolean
	text: string
}

/**
 * Puts a page's data into the script that opens its stream, which saves two more scripts. The JSON is in single quotes, so that its
 * many double quotes need no backslash.
 * @param foot of a page without another script for its data
 * @throws Error when React Router opens the stream differently
 */
export function withData(foot: string, { isJson, text }: PageData): string {
	const quoted = `'${text.replace(/[\\'\n\r<]/g, (sign) => escapes[sign] ?? sign)}'`
	const chunk = isJson ? `(${encodeForRouter})(${quoted})` : quoted
	const filled = foot.replace(openStream, () => `{controller.enqueue(${chunk});controller.close()}`)
	if (filled === foot) throw new Error('A page has no place for its data.')
	return filled
}

/**
 * A page's data as plain JSON. React Router's encoding lists all values, and refers to each of them by a number, which makes pages with
 * many rows a tenth larger after compression.
 * @returns null for data with values that JSON does not have
 */
export function plainJson(data: unknown): string | null {
	return isPlain(data) ? JSON.stringify(data) : null
}

function isPlain(value: unknown): boolean {
	if (value === null || typeof value === 'string' || typeof value === 'boolean') return true
	if (typeof value === 'number') return Number.isFinite(value) && !Object.is(value, -0)
	if (Array.isArray(value)) {
		// Unlike `every`, the loop does not skip holes.
		for (const item of value) if (!isPlain(item)) return false
		return true
	}
	if (typeof value !== 'object' || Object.getPrototypeOf(value) !== Object.prototype) return false
	for (const key in value) {
		// Assigning to it would change the prototype of the browser's object.
		if (key === '__proto__' || !isPlain((value as Record<string, unknown>)[key])) return false
	}
	return true
}

/** JSON in React Router's encoding. Runs standalone in the browser, without access to this module. */
function encodeForRouter(json: string): string {
	const values: unknown[] = []
	const add = (value: unknown): number => {
		if (value === null) return -5
		const index = values.push(value) - 1
		if (Array.isArray(value)) values[index] = value.map(add)
		else if (typeof value === 'object')
			values[index] = Object.fromEntries(Object.entries(value as object).map(([key, of]) => [`_${add(key)}`, add(of)]))
		return index
	}
	add(JSON.parse(json))
	return `${JSON.stringify(values)}\n`
}

/** Escaped, `<` cannot end the script. */
const escapes: Record<string, string> = { '\\': '\\\\', "'": "\\'", '\n': '\\n', '\r': '\\r', '<': '\\x3C' }

/** The attribute as React writes it; nothing where pages have no nonce. */
export function nonceAttribute(nonce: string | undefined): string {
	return nonce === undefined ? '' : ` nonce="${nonce}"`
}

/** Runs standalone in the browser, without access to this module. */
function startAfterPaint(maxWait: number): void {
	const starter = document.currentScript as HTMLScriptElement
	const imports = starter.previousElementSibling as HTMLScriptElement
	// Signals to browser tests that scripts run.
	imports.dataset.started = 'false'
	const start = () => {
		if (imports.dataset.started === 'true') return
		imports.dataset.started = 'true'
		for (const file of imports.dataset.files?.split(' ') ?? []) {
			const link = document.createElement('link')
			link.rel = 'modulepreload'
			link.href = file
			document.head.append(link)
		}
		const script = document.createElement('script')
		script.type = 'module'
		script.nonce = starter.nonce
		script.text = imports.text
		document.head.append(script)
	}
	if (document.hidden) start()
	document.addEventListener('visibilitychange', start, { once: true })
	new PerformanceObserver((list) => {
		if (list.getEntriesByName('first-contentful-paint').length > 0) start()
	}).observe({ type: 'paint', buffered: true })
	setTimeout(start, maxWait)
}
