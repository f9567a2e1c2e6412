import { AsyncLocalStorage } from 'node:async_hooks'
import { remember } from './remember.ts'

/** What is known of the request, or the connection of a socket, that the present work belongs to. */
export interface RequestScope {
	/** The same id as in the X-Request-Id header, on error pages, and in every line of the log. */
	requestId: string
	/** The User-Agent header; never logged. */
	userAgent: string
	/** When the request came: `performance.now()` in milliseconds. */
	startedAt: number
	/** The member who sent it, once that is known. */
	userId: number | null
	/** Why the database could not be reached during this request: libraries in between answer with errors of their own. */
	outage?: Error
	/** Whether signed cookies are believed as far as is known, as the database cannot be asked. */
	trustsLastKnown: boolean
}

/** One store for the process, although the server's bundle and its start each load this module. */
const scopes = remember('request-scope', () => new AsyncLocalStorage<RequestScope>())

/**
 * Runs the work of one request, so that everything below it finds its scope.
 * @param requestId unique to the request or connection
 * @param userAgent its User-Agent header, or ''
 */
export function runInRequestScope<Result>(requestId: string, userAgent: string, work: () => Result): Result {
	return scopes.run({ requestId, userAgent, startedAt: performance.now(), userId: null, trustsLastKnown: false }, work)
}

/** The scope of the present request; undefined in jobs, scripts and while the site starts. */
export function requestScope(): RequestScope | undefined {
	return scopes.getStore()
}

/** Says who sent the present request, so that what is recorded of it names their account. */
export function setRequestMember(userId: number): void {
	const scope = scopes.getStore()
	if (scope) scope.userId = userId
}
