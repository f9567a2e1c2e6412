/**
 * Whether an address belongs to one of the domains, or to a domain below one: `cs.eastmere.example` is in
 * `eastmere.example`, `noteastmere.example` is not. An empty list allows every address.
 */
export function isAllowedDomain(email: string, domains: readonly string[]): boolean {
	if (domains.length === 0) return true
	const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase()
	return domains.some((allowed) => domain === allowed || domain.endsWith(`.${allowed}`))
}
