import { type RouterContextProvider, redirect } from 'react-router'
import { viewerFromRequest } from '~/features/accounts/viewer.server.ts'
import { loginPath } from '~/lib/addresses.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { requireLogin } from '~/platform/http/http.ts'

/** What a loader gets of a request for a page. */
export interface PageRequest {
	request: Request
	context: Readonly<RouterContextProvider>
	url: URL
}

/**
 * The viewer of a page for staff, with their role in the database. Cookies alone are not trusted: a viewer who was logged out elsewhere
 * or lost the role sees nothing.
 * @throws a redirect to the login page, or to where staff set up the required second factor
 */
export async function requirePageViewer({ request, context, url }: PageRequest): Promise<SignedIn> {
	requireLogin(context, url)
	const { viewer, headers, lacksSecondFactor } = await viewerFromRequest(request, { fresh: true })
	if (!viewer) throw redirect(loginPath(url.pathname + url.search), { headers })
	if (lacksSecondFactor) throw redirect('/settings/two-factor', { headers })
	return viewer
}
