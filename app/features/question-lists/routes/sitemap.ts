import { config } from '~/config.server.ts'
import { listCategories } from '~/features/tags/tags.server.ts'
import { categoryPath } from '~/features/tags/tags.view.ts'
import { NotFound } from '~/lib/errors.ts'
import { withHttpErrors } from '~/platform/http/http.ts'
import { requireIndexing } from '~/platform/http/site-access.server.ts'
import { countSitemapPages, listForSitemap } from '../lists.server.ts'
import { sitemap, sitemapIndex } from '../xml.server.ts'
import type { Route } from './+types/sitemap'

/** The index without `?page=`; page 0 contains the site's own pages, the others up to 5,000 questions each. */
export function loader({ url }: Route.LoaderArgs) {
	return withHttpErrors(async () => {
		requireIndexing()
		const page = url.searchParams.get('page')
		const body = page === null ? await index() : page === '0' ? await ownPages() : await questions(page)
		return new Response(body, {
			headers: { 'Content-Type': 'application/xml; charset=utf-8', 'Cache-Control': 'public, max-age=3600' },
		})
	})
}

async function index(): Promise<string> {
	const pages = await countSitemapPages()
	return sitemapIndex(Array.from({ length: pages + 1 }, (_, page) => `${config().publicUrl}/sitemap.xml?page=${page}`))
}

async function ownPages(): Promise<string> {
	const categories = await listCategories()
	const paths = ['/', '/find-dev', '/forum', '/forum/tags', ...categories.map(({ slug }) => categoryPath(slug))]
	return sitemap(paths.map((path) => ({ url: config().publicUrl + path })))
}

async function questions(page: string): Promise<string> {
	const number = /^[1-9]\d{0,5}$/.test(page) ? Number(page) : 0
	if (number === 0 || number > (await countSitemapPages())) throw new NotFound('The sitemap has no such page.')
	const rows = await listForSitemap(number)
	return sitemap(rows.map(({ url, changedAt }) => ({ url: config().publicUrl + url, changedAt })))
}
