import { samlMetadata } from '../saml/saml.server.ts'

/**
 * The description of this site for a login service that speaks SAML. It holds addresses alone, and is there before the login is offered: whoever
 * runs the login service needs it first.
 */
export function loader(): Response {
	return new Response(samlMetadata(), { headers: { 'Content-Type': 'application/samlmetadata+xml; charset=utf-8' } })
}
