import type { MetaDescriptor } from 'react-router'
import type { RootData } from './root-data.ts'

interface PageFacts {
	/** Without the site's name, which is appended. */
	title: string
	/** One or two sentences for search engines; cut after 160 characters. */
	description?: string | undefined
	/** Path (and query) of this page's canonical address. */
	canonical?: string | undefined
	/** Keeps the page out of search engines: search results, later pages of a list, forms. */
	noindex?: boolean
	/** The address contains a token: the page is kept out of search engines, and its address is not sent as a referrer. */
	hasToken?: boolean
	/** Path and query of the next page of a list. */
	next?: string | null
	/** An Atom feed of what the page lists. */
	feed?: { path: string; title: string } | undefined
}

type Matches = readonly ({ id: string; loaderData?: unknown } | undefined)[]

/** The meta tags of a page, besides those of every page. Addresses become absolute. */
export function pageMeta(matches: Matches, page: PageFacts): MetaDescriptor[] {
	const root = matches.find((match) => match?.id === 'root')?.loaderData as RootData | undefined
	const base = root?.publicUrl ?? ''
	const tags: MetaDescriptor[] = [{ title: `${page.title} · ${root?.siteName ?? 'DevQuad'}` }]
	if (page.description) tags.push({ name: 'description', content: shorten(page.description, 160) })
	if (page.noindex || page.hasToken) tags.push({ name: 'robots', content: 'noindex, follow' })
	// Without any referrer, a browser sends the origin of a form as `null`, and the form would be rejected.
	if (page.hasToken) tags.push({ name: 'referrer', content: 'same-origin' })
	if (page.canonical) tags.push({ tagName: 'link', rel: 'canonical', href: base + page.canonical })
	if (page.next) tags.push({ tagName: 'link', rel: 'next', href: base + page.next })
	if (page.feed)
		tags.push({
			tagName: 'link',
			rel: 'alternate',
			type: 'application/atom+xml',
			href: base + page.feed.path,
			title: page.feed.title,
		})
	return tags
}

/** The beginning of a text, at most `length` characters, cut after a whole word where there is one. */
export function shorten(text: string, length: number): string {
	if (text.length <= length) return text
	const cut = text.slice(0, length - 1)
	const space = cut.lastIndexOf(' ')
	return `${(space > length / 2 ? cut.slice(0, space) : cut).trimEnd().toWellFormed()}…`
}

/** The preview of a shared link to a member: a card that the server draws, 1,200 × 630. */
export function memberShareMeta(matches: Matches, member: { username: string; name: string }): MetaDescriptor[] {
	const root = matches.find((match) => match?.id === 'root')?.loaderData as RootData | undefined
	const page = `${root?.publicUrl ?? ''}/find-dev/${member.username}`
	const site = root?.siteName ?? ''
	const open = {
		type: 'profile',
		site_name: site,
		title: `${member.name} · ${site}`,
		description: `A member of ${site}: connect, collaborate, build and learn new skills.`,
		url: page,
		image: `${page}/card.png`,
		'image:type': 'image/png',
		'image:width': '1200',
		'image:height': '630',
		'image:alt': `${member.name} on ${site}`,
		'profile:username': member.username,
	}
	return [
		...Object.entries(open).map(([name, content]) => ({
			property: name.startsWith('profile:') ? name : `og:${name}`,
			content,
		})),
		{ name: 'twitter:card', content: 'summary_large_image' },
	]
}

/** The username in the address of a member's page (`/find-dev/mira`), or null for any other address. */
export function sharedUsername(path: string): string | null {
	return /^\/find-dev\/([a-z0-9_.-]+)$/i.exec(path)?.[1]?.toLowerCase() ?? null
}
