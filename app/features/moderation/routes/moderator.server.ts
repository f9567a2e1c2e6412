import { type RouterContextProvider, redirect } from 'react-router'
import { viewerFromRequest } from '~/features/accounts/accounts.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { signedIn } from '~/platform/http/http.ts'
import { moderator } from '../staff.server.ts'

interface Asked {
	request: Request
	context: Readonly<RouterContextProvider>
	url: URL
}

/**
 * The moderator who asks for a page. No cookie is believed alone: whoever was logged out elsewhere or lost the role sees nothing.
 * @throws a redirect to the login page, NotAllowed
 */
export async function moderatorOf({ request, context, url }: Asked): Promise<SignedIn> {
	signedIn(context, url)
	const { viewer, headers } = await viewerFromRequest(request, { fresh: true })
	if (!viewer) throw redirect(`/login?redirectTo=${encodeURIComponent(url.pathname + url.search)}`, { headers })
	return moderator(viewer)
}
