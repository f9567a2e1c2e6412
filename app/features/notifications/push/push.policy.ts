/**
 * Whether this is an address of a push service that the site may call. A member's browser names it, so anything else could
 * be an address within the network of the server.
 * @param hosts names that are allowed, with a port where it is not 443; `*.` stands for one name or several before the rest
 */
export function isPushService(endpoint: string, hosts: readonly string[]): boolean {
	if (!URL.canParse(endpoint)) return false
	const { protocol, host, username, password } = new URL(endpoint)
	if (protocol !== 'https:' || username || password) return false
	return hosts.some((allowed) => (allowed.startsWith('*.') ? host.endsWith(allowed.slice(1)) : host === allowed))
}
