import { bareUrl } from '~/lib/links.ts'

/* What members say about themselves. Separate from members.view.ts, which every page loads. */

/** What a member can be open to, in the order of the form. */
export const openings = ['mentoring', 'teammates', 'tutoring', 'internship', 'open source', 'just talking'] as const

export type Opening = (typeof openings)[number]

/** Parses a list of openings: distinct, in the usual order. “Collaborating” is an old name of teammates. */
export function openingsOf(texts: readonly string[]): Opening[] {
	const named = new Set(texts.map((text) => text.trim().replace(/^collaborating$/, 'teammates')))
	return openings.filter((opening) => named.has(opening))
}

/** Sites with member profiles, by the profile's field. */
export const siteHosts = {
	github: 'github.com',
	linkedin: 'linkedin.com',
	leetcode: 'leetcode.com',
	hackerrank: 'hackerrank.com',
	codechef: 'codechef.com',
	geeksforgeek: 'geeksforgeeks.org',
} as const

/** Whether a host is a site or a subdomain of it; or the site's name under `.example`, which generated members use. */
export function isHost(name: string, host: string): boolean {
	const lower = name.toLowerCase()
	return lower === host || lower.endsWith(`.${host}`) || lower === host.replace(/\.[a-z]+$/, '.example')
}

/** The label of a link: the name of its site if it really leads there, else its address. @param url absolute */
export function linkLabel(site: keyof typeof siteHosts, name: string, url: string): string {
	return isHost(URL.parse(url)?.hostname ?? '', siteHosts[site]) ? name : bareUrl(url)
}
