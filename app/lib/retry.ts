/** How long a repeatable call is retried, and a hanging script is waited for. */
export const RETRY_LIMIT_MS = 120_000
const FIRST_PAUSE_MS = 500
const MAX_PAUSE_MS = 15_000

/** A call without a response of the site: the network failed, or something else answered. */
export class NoResponse extends TypeError {
	/** The data of a form; null for other calls. */
	readonly form: URLSearchParams | FormData | null
	constructor(message: string, form: URLSearchParams | FormData | null = null, cause?: unknown) {
		super(message, { cause })
		this.form = form
	}
}

interface RetryOptions {
	/** Stops the retries, as when the reader goes elsewhere. */
	signal?: AbortSignal | null
	/** Called after each failed try that is followed by another one. */
	onFailure?: () => void
}

/**
 * Retries until it succeeds: after growing pauses, at once when the browser is online again, and for at most 120 s.
 * @param attempt runs in the browser, and must be safe to repeat. Its signal aborts when the result is no longer needed
 * @returns the result of the first successful try
 * @throws NoResponse after 120 s, the reason of `signal` when it aborts, and at once any error but a TypeError, which is what
 * browsers throw for every network failure
 */
export async function withRetries<Result>(
	attempt: (signal: AbortSignal) => Promise<Result>,
	{ signal, onFailure }: RetryOptions = {},
): Promise<Result> {
	const limit = new AbortController()
	const timer = setTimeout(() => limit.abort(new NoResponse('No answer within 120 s.')), RETRY_LIMIT_MS)
	const ended = signal ? AbortSignal.any([signal, limit.signal]) : limit.signal
	try {
		for (let failures = 0; ; failures += 1) {
			try {
				return await orEnd(attempt(ended), ended)
			} catch (error) {
				ended.throwIfAborted()
				if (!(error instanceof TypeError)) throw error
				onFailure?.()
			}
			await orEnd(pause(pauseBefore(failures)), ended)
		}
	} finally {
		clearTimeout(timer)
	}
}

/**
 * Asks this site for JSON, as {@link withRetries}, also while something else answers, such as a captive portal.
 * @returns null after 120 s, when `signal` aborts, and if the server refuses
 */
export async function fetchJsonWithRetries<Answer>(path: string, signal?: AbortSignal): Promise<Answer | null> {
	const ask = async (ended: AbortSignal) => {
		const answer = await fetch(path, { headers: { Accept: 'application/json' }, signal: ended })
		if (answer.status >= 500) throw new NoResponse(`${path} was answered with ${answer.status}.`)
		const text = await answer.text()
		return answer.ok ? parsed<Answer>(text, path) : null
	}
	return withRetries(ask, { signal: signal ?? null }).catch(() => null)
}

function parsed<Answer>(text: string, path: string): Answer {
	try {
		return JSON.parse(text)
	} catch (error) {
		throw new NoResponse(`${path} was answered by something else.`, null, error)
	}
}

/** Milliseconds before the next try, with a random quarter, so that the tabs of a whole campus do not reconnect at once. */
function pauseBefore(failures: number): number {
	return Math.min(FIRST_PAUSE_MS * 2 ** failures, MAX_PAUSE_MS) * (0.75 + Math.random() / 4)
}

function pause(milliseconds: number): Promise<void> {
	return new Promise((resolve) => {
		const end = () => {
			clearTimeout(timer)
			window.removeEventListener('online', end)
			resolve()
		}
		const timer = setTimeout(end, milliseconds)
		window.addEventListener('online', end)
	})
}

function orEnd<Result>(work: Promise<Result>, ended: AbortSignal): Promise<Result> {
	return new Promise((resolve, reject) => {
		const end = () => reject(ended.reason)
		if (ended.aborted) end()
		ended.addEventListener('abort', end, { once: true })
		work.then(resolve, reject).finally(() => ended.removeEventListener('abort', end))
	})
}
