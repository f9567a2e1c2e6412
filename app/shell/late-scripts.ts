/** The scripts start this long after the document and its stylesheet have come, even if nothing was painted. */
const MAX_WAIT_MS = 1_000

/**
 * Has the scripts of a page start after its first paint: until then the document, the stylesheet and the fonts have the line and
 * the processor to themselves. A tab in the background paints nothing, and starts them at once.
 *
 * React Router's `Scripts` has no property for that, so its output is rewritten: the script that imports the page's modules becomes
 * inert, and a starter after it fetches them all at once. React does not compare the attributes of scripts when it takes them over.
 * @param head of a page as `ServerRouter` renders it, where it links the modules
 * @param foot of the same page, from its first script about the routes on
 * @param nonce of its inline scripts
 */
export function startScriptsLate(
	head: string,
	foot: string,
	nonce: string | undefined,
): { head: string; foot: string } {
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
				// No string of JSON has a line break, and each statement ends with a semicolon. A route has what nobody denies.
				`<script${attributes} type="text/plain" data-files="${files.join(' ')}">${text.replaceAll(/\n\s*|"has\w+": false,/g, '')}</script>${starter}`,
		),
	}
}

/** How React Router opens the stream of a page's data, for scripts that come later. */
const openStream = '{window.__reactRouterContext.streamController = controller;}'

/**
 * The data of a page in the script that opens its stream, in place of two more scripts. Quotes are what JSON has most of, so its text
 * is written in single ones, where they need no backslash.
 * @param foot of a page that has no other script for its data
 * @param data as React Router encodes it for a browser
 * @throws Error when React Router opens the stream in another way
 */
export function withData(foot: string, data: string): string {
	const text = data.replace(/[\\'\n\r<]/g, (sign) => escapes[sign] ?? sign)
	const filled = foot.replace(openStream, () => `{controller.enqueue('${text}');controller.close()}`)
	if (filled === foot) throw new Error('A page has no place for its data.')
	return filled
}

/** `<` ends or begins nothing in a script that way. */
const escapes: Record<string, string> = { '\\': '\\\\', "'": "\\'", '\n': '\\n', '\r': '\\r', '<': '\\x3C' }

/** As React writes it first of all into a script; nothing where pages have no nonce. */
export function nonceAttribute(nonce: string | undefined): string {
	return nonce === undefined ? '' : ` nonce="${nonce}"`
}

/** Runs alone in the browser: it sees nothing of this file. */
function startAfterPaint(maxWait: number): void {
	const starter = document.currentScript as HTMLScriptElement
	const imports = starter.previousElementSibling as HTMLScriptElement
	// Says that scripts run here, to whoever drives a browser and waits for them.
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
