import { type DiskFull, DomainError, isSiteFault, type Unavailable } from '~/lib/errors.ts'
import { requestScope } from '~/lib/request-scope.server.ts'

/**
 * The site fault that caused an error, or null. Libraries replace the error of an unavailable database by their own, such as Better
 * Auth's "Failed to get session"; the request remembers the cause.
 */
export function siteFaultOf(error: unknown): Unavailable | DiskFull | null {
	if (isSiteFault(error)) return error
	const met = requestScope()?.outage
	return isSiteFault(met) && !(error instanceof DomainError) && !(error instanceof Response) ? met : null
}
