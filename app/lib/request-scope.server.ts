import { AsyncLocalStorage } from 'node:async_hooks'
import { type DiskFull, DomainError, isSiteFault, type Unavailable } from '~/lib/errors.ts'
import { remember } from './remember.ts'

/** The request, or the socket connection, that the current work belongs to. */
export interface RequestScope {
	/** As in the X-Request-Id header, on error pages, and in every log line. */
	requestId: string
	/** The User-Agent header; never logged. */
	userAgent: string
	/** When the request was received: `performance.now()` in milliseconds. */
	startedAt: number
	/** The member who sent it, once that is known. */
	userId: number | null
	/** The session by which the request may do what sessions alone may, once that is known. */
	sessionId: number | null
	/** Why the database was unavailable during this request: libraries in between throw errors of their own. */
	outage?: Error
	/** Whether signed cookies are trusted, as the database is unavailable. */
	trustsLastKnown: boolean
}

/** One store for the process, although the start and the server's bundle each load this module. */
const scopes = remember('request-scope', () => new AsyncLocalStorage<RequestScope>())

/**
 * Runs the work of a request within its scope.
 * @param requestId unique to the request or connection
 * @param userAgent its User-Agent header, or ''
 */
export function runInRequestScope<Result>(requestId: string, userAgent: string, work: () => Result): Result {
	const unknown = { userId: null, sessionId: null, trustsLastKnown: false }
	return scopes.run({ requestId, userAgent, startedAt: performance.now(), ...unknown }, work)
}

/** The scope of the current request; undefined in jobs, scripts and while the site starts. */
export function requestScope(): RequestScope | undefined {
	return scopes.getStore()
}

/** Sets the member of the current request, for its log lines. */
export function setRequestMember(userId: number): void {
	const scope = scopes.getStore()
	if (scope) scope.userId = userId
}

/** Sets the session of the current request, for {@link RequestScope.sessionId}. @returns its id */
export function setRequestSession(sessionId: number): number {
	const scope = scopes.getStore()
	if (scope) scope.sessionId = sessionId
	return sessionId
}

/**
 * The site fault that caused an error, or null. Libraries replace the error of an unavailable database by their own, such as Better
 * Auth's "Failed to get session"; the request remembers the cause.
 */
export function siteFaultOf(error: unknown): Unavailable | DiskFull | null {
	if (isSiteFault(error)) return error
	const met = requestScope()?.outage
	return isSiteFault(met) && !(error instanceof DomainError) && !(error instanceof Response) ? met : null
}
