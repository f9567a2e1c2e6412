import { bareUrl } from '~/lib/links.ts'

/* What members say of themselves, apart from members.view.ts, which every page loads. */

/** What a member can be open to, in the order in which it is offered. */
export const openings = ['mentoring', 'teammates', 'tutoring', 'internship', 'open source', 'just talking'] as const

export type Opening = (typeof openings)[number]

/** The openings that a list of texts names, each once and in the usual order. What was called collaborating means teammates. */
export function openingsOf(texts: readonly string[]): Opening[] {
	const named = new Set(texts.map((text) => text.trim().replace(/^collaborating$/, 'teammates')))
	return openings.filter((opening) => named.has(opening))
}

/** Sites on which members have pages, by the field of a profile. */
export const siteHosts = {
	github: 'github.com',
	linkedin: 'linkedin.com',
	leetcode: 'leetcode.com',
	hackerrank: 'hackerrank.com',
	codechef: 'codechef.com',
	geeksforgeek: 'geeksforgeeks.org',
} as const

/** Whether a host name is a site's, or below it; or the site's name in `.example`, which is nobody's and which invented members have. */
export function isHost(name: string, host: string): boolean {
	const lower = name.toLowerCase()
	return lower === host || lower.endsWith(`.${host}`) || lower === host.replace(/\.[a-z]+$/, '.example')
}

/** What a link is called: by the name of its site only if it leads there, else by its address. @param url absolute */
export function linkLabel(site: keyof typeof siteHosts, name: string, url: string): string {
	return isHost(URL.parse(url)?.hostname ?? '', siteHosts[site]) ? name : bareUrl(url)
}
