import { redirect } from 'react-router'
import { factsOf } from '~/lib/context.ts'
import { readForm } from '~/platform/http/form.server.ts'
import { takeSamlResponse } from '../saml/saml-login.server.ts'
import type { Route } from './+types/saml-acs'

/*
 * Where a login service has browsers send its answer: the assertion consumer service of SAML. The form comes from a page of another site, which
 * the guard of writes lets through at this address alone (`crossSiteForms` of the feature), and without cookies.
 */

export function loader() {
	return redirect('/login')
}

/** Leads on to an address of this site, with the cookies of which the login goes on or is refused. */
export async function action({ request, context }: Route.ActionArgs) {
	return redirect(await takeSamlResponse(await readForm(request), factsOf(context).ip), 303)
}
