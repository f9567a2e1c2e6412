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

/**
 * Puts a page's data into the script that opens its stream, which saves two more scripts. The JSON is in single quotes, so that its
 * many double quotes need no backslash.
 * @param foot of a page without another script for its data
 * @param data in React Router's encoding for browsers
 * @throws Error when React Router opens the stream differently
 */
export function withData(foot: string, data: string): string {
	const plain = plainData(data)
	const text = (plain ?? data).replace(/[\\'\n\r<]/g, (sign) => escapes[sign] ?? sign)
	const chunk = plain === null ? `'${text}'` : `(${encodeForRouter})('${text}')`
	const filled = foot.replace(openStream, () => `{controller.enqueue(${chunk});controller.close()}`)
	if (filled === foot) throw new Error('A page has no place for its data.')
	return filled
}

/**
 * A page's data as plain JSON. React Router's encoding lists all values, and refers to each of them by a number, which makes pages with
 * many rows a tenth larger after compression.
 * @param data in React Router's encoding
 * @returns null for data with values that JSON does not have
 */
function plainData(data: string): string | null {
	const lines = data.trimEnd().split('\n')
	const values: unknown[] = lines.length === 1 ? JSON.parse(data) : []
	let isPlain = values.length > 0
	const plain = (index: number): unknown => {
		if (index === NULL) return null
		const value = values[index]
		// What is below zero, or begins with the name of a type, is no plain value.
		if (index < 0 || (Array.isArray(value) && typeof value[0] === 'string')) isPlain = false
		if (!isPlain || value === null || typeof value !== 'object') return value
		if (Array.isArray(value)) return value.map(plain)
		const object: Record<string, unknown> = {}
		for (const key in value) {
			const name = String(values[Number(key.slice(1))])
			// Assigning to it would change the object's prototype.
			if (name === '__proto__') isPlain = false
			object[name] = plain((value as Record<string, number>)[key] ?? NULL)
		}
		return object
	}
	const root = plain(0)
	return isPlain ? JSON.stringify(root) : null
}

/** How React Router's encoding refers to null. */
const NULL = -5

/** The reverse of {@link plainData}. Runs standalone in the browser, without access to this module. */
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
