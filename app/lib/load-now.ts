/** What React keeps in a lazy component: `_init` begins to load it, and throws while it loads. */
interface Lazy {
	_init?: (payload: unknown) => unknown
	_payload?: unknown
}

/** Has the server load a lazy component before the first page, as one that is awaited stays hidden from readers without scripts. */
export function loadNow(component: unknown): void {
	const { _init, _payload } = component as Lazy
	try {
		_init?.(_payload)
	} catch {
		// It is on its way.
	}
}
