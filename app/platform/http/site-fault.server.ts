import { type DiskFull, DomainError, isSiteFault, type Unavailable } from '~/lib/errors.ts'
import { requestScope } from '~/lib/request-scope.server.ts'

/**
 * The fault of the site behind an error, or null. Libraries answer a database that is away with errors of their own, such as
 * Better Auth's "Failed to get session": the request remembers what was behind it.
 */
export function siteFaultOf(error: unknown): Unavailable | DiskFull | null {
	if (isSiteFault(error)) return error
	const met = requestScope()?.outage
	return isSiteFault(met) && !(error instanceof DomainError) && !(error instanceof Response) ? met : null
}
