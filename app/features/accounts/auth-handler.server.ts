import { siteFaultOf } from '~/lib/request-scope.server.ts'
import { auth } from './auth.server.ts'
import { loggedOut } from './login.server.ts'
import { viewerFromRequest } from './viewer.server.ts'

/* The HTTP interface of Better Auth, for programs. */

/** The paths of Better Auth's HTTP interface that are open; each of them passes the guard. */
const open = new Set([
	'/sign-up/email',
	'/sign-in/email',
	'/sign-out',
	'/get-session',
	'/request-password-reset',
	'/reset-password',
])

/** Answers a request to `/api/auth/…`, for programs; pages call the use cases above. */
export async function authHandler(request: Request): Promise<Response> {
	const path = new URL(request.url).pathname.replace(/^\/api\/auth/, '')
	if (path === '/sign-out') return signOut(request)
	if (open.has(path)) return withoutToken(withSiteFault(await auth().handler(request)))
	const nothing = { type: 'about:blank', title: 'There is nothing at this address.', status: 404 }
	return Response.json(nothing, { status: 404 })
}

/** Better Auth answers an unavailable database with an empty 500. @throws Unavailable, DiskFull in its place */
function withSiteFault(answer: Response): Response {
	const fault = answer.status >= 500 ? siteFaultOf(null) : null
	if (fault) throw fault
	return answer
}

async function signOut(request: Request): Promise<Response> {
	const { viewer } = await viewerFromRequest(request)
	const answer = withSiteFault(await auth().handler(request))
	if (viewer && answer.ok) await loggedOut(viewer)
	return answer
}

/** Removes the session token from the body, where scripts could read it: it belongs in the HttpOnly cookie alone. */
async function withoutToken(answer: Response): Promise<Response> {
	if (!answer.headers.get('Content-Type')?.includes('json')) return answer
	const body: unknown = await answer.json()
	const headers = new Headers(answer.headers)
	headers.delete('Content-Length')
	const text = JSON.stringify(body, (key, value) => (key === 'token' ? undefined : value))
	return new Response(text, { status: answer.status, headers })
}
