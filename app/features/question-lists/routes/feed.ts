import { redirect } from 'react-router'
import { config } from '~/config.server.ts'
import { getCategoryPage, getTag } from '~/features/tags/tags.server.ts'
import { categoryPath, tagPath } from '~/features/tags/tags.view.ts'
import { withHttpErrors } from '~/platform/http/http.ts'
import { siteName } from '~/platform/settings/site-name.server.ts'
import { listQuestions } from '../lists.server.ts'
import { atomFeed } from '../xml.server.ts'
import type { Route } from './+types/feed'

const MAX_ENTRIES = 20

/** The newest questions of the site, a category or a tag, as visitors see them. */
export function loader({ params }: Route.LoaderArgs) {
	return withHttpErrors(async () => {
		const { publicUrl } = config()
		const { slug, tag } = params as { slug?: string; tag?: string }
		const [scope, list] = await Promise.all([
			scopeOf(slug, tag),
			listQuestions(null, {
				...(slug === undefined ? {} : { category: slug }),
				...(tag === undefined ? {} : { tag }),
				limit: MAX_ENTRIES,
			}),
		])
		// A permanent redirect, so that feed readers store the new address.
		if (scope.moved) throw redirect(`${scope.path}/feed.atom`, 301)
		const feed = atomFeed({
			title: `${scope.title} · ${siteName()}`,
			path: scope.path,
			feedPath: `${scope.path}/feed.atom`,
			publicUrl,
			questions: list.rows,
		})
		return new Response(feed, {
			headers: { 'Content-Type': 'application/atom+xml; charset=utf-8', 'Cache-Control': 'public, max-age=300' },
		})
	})
}

interface Scope {
	title: string
	path: string
	/** Whether the address is a former one. */
	moved: boolean
}

async function scopeOf(slug: string | undefined, tag: string | undefined): Promise<Scope> {
	if (slug !== undefined) {
		const category = await getCategoryPage(null, slug)
		const path = categoryPath(category.slug)
		return { title: `Newest questions in ${category.title}`, path, moved: category.slug !== slug }
	}
	if (tag !== undefined) {
		const { name } = await getTag(null, tag)
		return { title: `Newest questions tagged ${name}`, path: tagPath(name), moved: false }
	}
	return { title: 'Newest queries', path: '/forum', moved: false }
}
