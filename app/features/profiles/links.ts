/** Where a bare handle leads on each site; a portfolio has no handle, only an address. */
const sites = {
	github: { host: 'github.com', profile: 'https://github.com/' },
	linkedin: { host: 'linkedin.com', profile: 'https://www.linkedin.com/in/' },
	leetcode: { host: 'leetcode.com', profile: 'https://leetcode.com/u/' },
	portfolio: null,
	hackerrank: { host: 'hackerrank.com', profile: 'https://www.hackerrank.com/profile/' },
	codechef: { host: 'codechef.com', profile: 'https://www.codechef.com/users/' },
	geeksforgeek: { host: 'geeksforgeeks.org', profile: 'https://www.geeksforgeeks.org/user/' },
} as const

export type Site = keyof typeof sites

export const siteNames = Object.keys(sites) as Site[]

/**
 * A member's page on a site, from a bare handle (`mira`, `@mira`) or an address.
 * @returns an absolute http(s) address, '' for an empty text, and null for what is neither a handle nor an address
 */
export function socialLink(site: Site, typed: string): string | null {
	const known = sites[site]
	const text = typed.trim()
	if (text === '' || known === null) return webAddress(text)
	const handle = /^@?([\w][\w.-]*)$/u.exec(text)?.[1]
	if (handle && !isHost(handle, known.host)) return known.profile + encodeURIComponent(handle)
	const address = webAddress(text)
	if (!address) return address
	const url = new URL(address)
	// Only its front page: whose page it should be is not said.
	if (isHost(url.hostname, known.host) && url.pathname === '/' && !url.search) return null
	return isHost(url.hostname, known.host) ? tidy(url) : address
}

/** The site that an address leads to, or null for any other. */
export function siteOfAddress(typed: string): Site | null {
	const host = URL.parse(webAddress(typed) ?? '')?.hostname
	return siteNames.find((site) => host !== undefined && sites[site] !== null && isHost(host, sites[site].host)) ?? null
}

/**
 * An absolute address on the web, as it is stored: scheme and host in small letters, `https` where none was given.
 * @returns '' for an empty text, null for anything that a browser would not open as a web page
 */
export function webAddress(typed: string): string | null {
	const text = typed.trim()
	if (text === '') return ''
	if (/[\s\p{Cc}\\]/u.test(text)) return null
	const scheme = /^([a-z][a-z0-9+.-]*):(?!\d+(\/|$))/i.exec(text)?.[1]?.toLowerCase()
	if (scheme && scheme !== 'http' && scheme !== 'https') return null
	const whole = scheme ? text : `https://${text.replace(/^\/\//, '')}`
	if (!/^https?:\/\/[^/?#]/i.test(whole)) return null
	const url = URL.parse(whole)
	// A name and a password in front of the host serve only to mislead whoever reads the address.
	if (!url || url.username || url.password || !/^[^.].*\.[^.]+$/.test(url.hostname)) return null
	return url.href
}

/** The address of a known site without what only tells where it was copied. */
function tidy(url: URL): string {
	url.protocol = 'https:'
	url.port = ''
	url.search = ''
	url.hash = ''
	url.pathname = url.pathname.replace(/\/+$/, '')
	return url.href
}

function isHost(name: string, host: string): boolean {
	return name.toLowerCase() === host || name.toLowerCase().endsWith(`.${host}`)
}
