import { redirect } from 'react-router'
import { type PageRequest, requireFreshLogin } from '~/features/accounts/viewer.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'

/**
 * The viewer of a page for staff, with their role in the database. Cookies alone are not trusted: a viewer who was logged out elsewhere
 * or lost the role sees nothing.
 * @throws a redirect to the login page, or to where staff set up the required second factor
 */
export async function requirePageViewer(page: PageRequest): Promise<SignedIn> {
	const { viewer, headers, lacksSecondFactor } = await requireFreshLogin(page)
	if (lacksSecondFactor) throw redirect('/settings/two-factor', { headers })
	return viewer
}
