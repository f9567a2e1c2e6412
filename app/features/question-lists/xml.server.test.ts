import { expect, test } from 'vitest'
import { sampleCard } from '../../../tests/support/forum-samples.ts'
import { atomFeed, sitemap, sitemapIndex, xml } from './xml.server.ts'

const publicUrl = 'https://site.example'
const list = { title: 'Newest questions · DevQuad', path: '/forum', feedPath: '/forum/feed.atom', publicUrl }

test.each([
	['a < b && c > "d"', 'a &lt; b &amp;&amp; c &gt; &quot;d&quot;'],
	['bell \u0007, null \u0000, \uFFFE', 'bell , null , '],
	['half a pair \uD83D', 'half a pair \uFFFD'],
	['whole 😀 é\n\t', 'whole 😀 é\n\t'],
])('XML can contain %j', (text, escaped) => {
	expect(xml(text)).toBe(escaped)
})

test('a feed has the elements that Atom requires', () => {
	const feed = atomFeed({
		...list,
		questions: [
			sampleCard(),
			sampleCard({ id: 6, url: '/forum/python/pia/6', title: 'Is a <list> & a "tuple" the same?', excerpt: 'x < y' }),
		],
	})
	expect(feed).toMatch(/^<\?xml version="1.0" encoding="utf-8"\?>\n<feed xmlns="http:\/\/www.w3.org\/2005\/Atom">/)
	expect(feed).toContain('<id>https://site.example/forum/feed.atom</id>')
	expect(feed).toContain('<link rel="self" type="application/atom+xml" href="https://site.example/forum/feed.atom"/>')
	expect(feed).toContain('<updated>2026-11-21T05:12:33.123456Z</updated>')
	expect(feed).toContain('<link rel="alternate" type="text/html" href="https://site.example/forum/python/pia/6"/>')
	expect(feed).toContain('<title>Is a &lt;list&gt; &amp; a &quot;tuple&quot; the same?</title>')
	expect(feed).toContain('<content type="html">&lt;p&gt;x &amp;lt; y&lt;/p&gt;</content>')
	expect(feed.match(/<entry>.*?<\/entry>/g)).toHaveLength(2)
	expect(new Set(feed.match(/<id>[^<]*<\/id>/g)).size).toBe(3)
})

test('an entry keeps its id when its question changes category', () => {
	const idIn = (url: string) =>
		atomFeed({ ...list, questions: [sampleCard({ url })] }).match(/<id>(tag:[^<]*)<\/id>/)?.[1]
	expect(idIn('/forum/javascript/rohan/7')).toBe('tag:site.example,2026:query/7')
	expect(idIn('/forum/python/rohan/7')).toBe(idIn('/forum/javascript/rohan/7'))
})

test('a feed without questions is valid', () => {
	expect(atomFeed({ ...list, questions: [] })).toContain('<updated>1970-01-01T00:00:00.000Z</updated>')
})

test('sitemaps and their index contain absolute addresses', () => {
	expect(sitemapIndex([`${publicUrl}/sitemap.xml?page=0`])).toContain(
		'<sitemap><loc>https://site.example/sitemap.xml?page=0</loc></sitemap>',
	)
	expect(sitemap([{ url: `${publicUrl}/forum/a/b/1`, changedAt: '2026-11-21T05:12:33Z' }])).toContain(
		'<url><loc>https://site.example/forum/a/b/1</loc><lastmod>2026-11-21T05:12:33Z</lastmod></url>',
	)
})
