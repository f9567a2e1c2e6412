import { samlMetadata } from '../saml/saml.server.ts'

/**
 * The SAML metadata of this site. They contain only addresses, and exist before the login is enabled, as the identity provider is
 * configured first.
 */
export async function loader(): Promise<Response> {
	return new Response(await samlMetadata(), {
		headers: { 'Content-Type': 'application/samlmetadata+xml; charset=utf-8' },
	})
}
