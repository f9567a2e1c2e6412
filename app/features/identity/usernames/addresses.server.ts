import { redirect } from 'react-router'
import { currentUsername, isFormerName } from './former-names.server.ts'

/** Paths that contain a username, and their subpages. Those of questions are not included: they contain an id. */
const named =
	/^\/(find-dev|my-profile|edit-profile|messages|admin\/members)\/([a-z0-9_.-]+?)((?:\.json)?(?:\.data)?(?:\/.*)?)$/i

/** The present path for one with a former username; null for any other. */
async function currentPath(path: string): Promise<string | null> {
	const [, area = '', name = '', rest = ''] = named.exec(path) ?? []
	const before = name.toLowerCase()
	if (!isFormerName(before)) return null
	const now = await currentUsername(before)
	return now === before ? null : `/${area}/${now}${rest}`
}

/** Redirects a page with a former username in its address, with 301, before any loader runs. @throws the redirect */
export async function redirectToCurrentName({ request, url }: { request: Request; url: URL }): Promise<void> {
	if (request.method !== 'GET' && request.method !== 'HEAD') return
	const path = await currentPath(url.pathname)
	if (path !== null) throw redirect(path + url.search, 301)
}

/**
 * Rewrites a write request with a former username, sent by a tab that was open during the rename: a redirect would lose its body. Read
 * requests are returned unchanged.
 */
export async function rewriteFormerName(request: Request): Promise<Request> {
	if (request.method === 'GET' || request.method === 'HEAD') return request
	const url = new URL(request.url)
	const path = await currentPath(url.pathname)
	if (path === null) return request
	url.pathname = path
	return new Request(url, request)
}
