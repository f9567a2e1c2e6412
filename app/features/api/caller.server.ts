import { viewerFromRequest } from '~/features/accounts/viewer.server.ts'
import { authenticateToken } from '~/features/tokens/tokens.server.ts'
import type { TokenScope } from '~/features/tokens/tokens.view.ts'
import type { Viewer } from '~/lib/viewer.ts'
import type { Operation } from '~/platform/http/operation.ts'
import { problem } from '~/platform/http/problem.ts'

/** The caller and their permissions. */
export interface Caller {
	viewer: Viewer
	/** Scopes of the token; null for a session or a visitor. */
	scopes: TokenScope[] | null
	/** Whether the request had an invalid token. */
	badToken: boolean
	/** Cookies of the session to send back. */
	headers: Headers
}

/** A token takes precedence over cookies, even if it is invalid. */
export async function callerOf(request: Request): Promise<Caller> {
	const authorization = request.headers.get('Authorization')
	if (authorization === null) {
		const writes = request.method !== 'GET' && request.method !== 'HEAD'
		const { viewer, headers } = await viewerFromRequest(request, { fresh: writes })
		return { viewer, scopes: null, badToken: false, headers }
	}
	const token = /^Bearer +(\S+) *$/i.exec(authorization)?.[1]
	const grant = token ? await authenticateToken(token) : null
	return {
		viewer: grant?.viewer ?? null,
		scopes: grant?.scopes ?? null,
		badToken: grant === null,
		headers: new Headers(),
	}
}

/** The scopes that a token needs, all of them. */
export function scopesFor({ method, area, staff }: Pick<Operation, 'method' | 'area' | 'staff'>): TokenScope[] {
	const kind = method === 'get' ? 'read' : 'write'
	return [area ? (`${area}:${kind}` as const) : kind, ...(staff ? (['moderate'] as const) : [])]
}

/** The error for a caller who may not use this operation; null if they may. Follows RFC 6750, 3. */
export function callerError(caller: Caller, operation: Operation): Response | null {
	if (caller.badToken)
		return problem(401, 'This access token does not work. It may have expired or been revoked.', {
			headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' },
		})
	const needed = scopesFor(operation).find((scope) => !caller.scopes?.includes(scope))
	if (caller.scopes && needed)
		return problem(403, `This needs a token with the scope “${needed}”.`, {
			headers: { 'WWW-Authenticate': `Bearer error="insufficient_scope", scope="${needed}"` },
		})
	if (operation.access === 'members' && !caller.viewer)
		return problem(401, 'Log in first, or send an access token.', { headers: { 'WWW-Authenticate': 'Bearer' } })
	return null
}
