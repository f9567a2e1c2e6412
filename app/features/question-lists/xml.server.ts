import type { QuestionCardView } from '~/features/questions/question.view.ts'
import { profilePath } from '~/lib/addresses.ts'

interface FeedFacts {
	title: string
	/** Path of the list, and of its feed. */
	path: string
	feedPath: string
	/** The site's origin, without a trailing slash. */
	publicUrl: string
	/** Questions and comments, newest or most suitable first. */
	questions: FeedQuestion[]
}

type FeedQuestion = Pick<QuestionCardView, 'id' | 'url' | 'title' | 'excerpt' | 'author' | 'tags' | 'createdAt'> & {
	/** null for a comment; comment ids are separate from question ids. */
	category: QuestionCardView['category'] | null
}

/** The first questions of a list as an Atom feed (RFC 4287). */
export function atomFeed({ title, path, feedPath, publicUrl, questions }: FeedFacts): string {
	const newest = questions.map(({ createdAt }) => createdAt).toSorted()
	const updated = newest.at(-1) ?? new Date(0).toISOString()
	return document(
		element(
			'feed',
			[
				element('id', xml(publicUrl + feedPath)),
				element('title', xml(title)),
				element('updated', xml(updated)),
				link('self', publicUrl + feedPath, 'application/atom+xml'),
				link('alternate', publicUrl + path, 'text/html'),
				...questions.map((question) => entry(question, publicUrl)),
			].join(''),
			' xmlns="http://www.w3.org/2005/Atom"',
		),
	)
}

function entry(question: FeedQuestion, publicUrl: string): string {
	const { hostname } = new URL(publicUrl)
	const parts = [
		// The id survives a change of the category, which changes the address.
		element('id', xml(`tag:${hostname},2026:${question.category ? 'query' : 'comment'}/${question.id}`)),
		element('title', xml(question.title)),
		element('updated', xml(question.createdAt)),
		element('published', xml(question.createdAt)),
		link('alternate', publicUrl + question.url, 'text/html'),
		element(
			'author',
			element('name', xml(question.author.name)) +
				(question.author.pseudonym ? '' : element('uri', xml(publicUrl + profilePath(question.author.username)))),
		),
		...[...(question.category ? [question.category.slug] : []), ...question.tags].map(
			(term) => `<category term="${xml(term)}"/>`,
		),
		element('content', xml(`<p>${xml(question.excerpt)}</p>`), ' type="html"'),
	]
	return element('entry', parts.join(''))
}

/** One page of a sitemap: absolute addresses with the time of the last change (ISO 8601). */
export function sitemap(addresses: { url: string; changedAt?: string }[]): string {
	const urls = addresses.map(({ url, changedAt }) =>
		element('url', element('loc', xml(url)) + (changedAt ? element('lastmod', xml(changedAt)) : '')),
	)
	return document(element('urlset', urls.join(''), sitemaps))
}

/** The index of a sitemap's pages. */
export function sitemapIndex(pages: string[]): string {
	return document(
		element('sitemapindex', pages.map((page) => element('sitemap', element('loc', xml(page)))).join(''), sitemaps),
	)
}

/** Escapes text for XML elements and attributes, and drops characters that XML does not allow. */
export function xml(text: string): string {
	return text
		.toWellFormed()
		.replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '')
		.replaceAll('&', '&amp;')
		.replaceAll('<', '&lt;')
		.replaceAll('>', '&gt;')
		.replaceAll('"', '&quot;')
}

const sitemaps = ' xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'

function document(root: string): string {
	return `<?xml version="1.0" encoding="utf-8"?>\n${root}\n`
}

function element(name: string, content: string, attributes = ''): string {
	return `<${name}${attributes}>${content}</${name}>`
}

function link(rel: string, href: string, type: string): string {
	return `<link rel="${rel}" type="${type}" href="${xml(href)}"/>`
}
