/** How long a call that may be repeated is tried again, and a script that hangs is waited for. */
export const RETRY_LIMIT_MS = 120_000
const FIRST_PAUSE_MS = 500
const MAX_PAUSE_MS = 15_000

/** A call without an answer of the site: the network failed, or something on the way answered in its place. */
export class LostAnswer extends TypeError {
	/** What was sent, for a form; null for anything else. */
	readonly form: URLSearchParams | FormData | null
	constructor(message: string, form: URLSearchParams | FormData | null = null, cause?: unknown) {
		super(message, { cause })
		this.form = form
	}
}

interface RetryOptions {
	/** Ends the tries, as when the reader goes elsewhere. */
	signal?: AbortSignal | null
	/** Runs after each try that failed and is followed by another one. */
	onFailure?: () => void
}

/**
 * Tries something until it works: after growing pauses, at once when the browser is online again, and for at most 120 s.
 * @param attempt what is tried, in the browser; it must be safe to repeat. Its signal ends when nobody waits any longer
 * @returns what the first try that worked returned
 * @throws LostAnswer after 120 s, the reason of `signal` when that ends, and at once any error that is no TypeError, as
 * browsers report every failure of the network as one
 */
export async function retrying<Result>(
	attempt: (signal: AbortSignal) => Promise<Result>,
	{ signal, onFailure }: RetryOptions = {},
): Promise<Result> {
	const limit = new AbortController()
	const timer = setTimeout(() => limit.abort(new LostAnswer('No answer within 120 s.')), RETRY_LIMIT_MS)
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

/** Milliseconds before the next try; a quarter is chance, so that the tabs of a whole campus do not come back at once. */
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
