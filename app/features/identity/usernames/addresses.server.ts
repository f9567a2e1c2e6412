import { redirect } from 'react-router'
import { currentUsername, isFormerName } from './former-names.server.ts'

/**
 * Addresses with a username in them, and what may stand behind it. Those of questions are not among them: they are found by their id and
 * lead to the asker of today by themselves.
 */
const named =
	/^\/(find-dev|my-profile|edit-profile|messages|admin\/members)\/([a-z0-9_.-]+?)((?:\.json)?(?:\.data)?(?:\/.*)?)$/i

/** The path of today for one that holds a name which its member had before; null for any other. */
async function currentPath(path: string): Promise<string | null> {
	const [, area = '', name = '', rest = ''] = named.exec(path) ?? []
	const before = name.toLowerCase()
	if (!isFormerName(before)) return null
	const now = await currentUsername(before)
	return now === before ? null : `/${area}/${now}${rest}`
}

/**
 * Before any loader: an address of a page that holds a name which its member had before leads to the one of today, with 301.
 * @throws the redirect
 */
export async function leadToCurrentName({ request, url }: { request: Request; url: URL }): Promise<void> {
	if (request.method !== 'GET' && request.method !== 'HEAD') return
	const path = await currentPath(url.pathname)
	if (path !== null) throw redirect(path + url.search, 301)
}

/**
 * A form, or what a script sent, to a name that its member had before, from a tab that was open during the change, as if it had been sent to
 * the one of today: a redirect would lose what it holds. Requests that only read are given back as they are.
 */
export async function toCurrentName(request: Request): Promise<Request> {
	if (request.method === 'GET' || request.method === 'HEAD') return request
	const url = new URL(request.url)
	const path = await currentPath(url.pathname)
	if (path === null) return request
	url.pathname = path
	return new Request(url, request)
}
