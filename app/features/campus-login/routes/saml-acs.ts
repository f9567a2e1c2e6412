import { redirect } from 'react-router'
import { factsOf } from '~/lib/context.ts'
import { readForm } from '~/platform/http/form.server.ts'
import { receiveSamlResponse } from '../saml/saml-login.server.ts'
import type { Route } from './+types/saml-acs'

/*
 * The assertion consumer service of SAML, to which the identity provider's page posts. The check of the origin lets it pass
 * (`crossSiteForms` of the feature), and drops cookies.
 */

export function loader() {
	return redirect('/login')
}

/** Redirects to a page of this site that has the cookies to finish the login. */
export async function action({ request, context }: Route.ActionArgs) {
	return redirect(await receiveSamlResponse(await readForm(request), factsOf(context).ip), 303)
}
