import { config } from '~/config.server.ts'
import { getCategoryPage, getTag } from '~/features/tags/tags.server.ts'
import { categoryPath, tagPath } from '~/features/tags/tags.view.ts'
import { answering } from '~/platform/http/http.ts'
import { listQuestions } from '../lists.server.ts'
import { atomFeed } from '../xml.ts'
import type { Route } from './+types/feed'

const entries = 20

/** The newest questions of the site, of a category or of a tag, as every visitor sees them. */
export function loader({ params }: Route.LoaderArgs) {
	return answering(async () => {
		const { SITE_NAME, publicUrl } = config()
		const { slug, tag } = params as { slug?: string; tag?: string }
		const [scope, list] = await Promise.all([
			scopeOf(slug, tag),
			listQuestions(null, {
				...(slug === undefined ? {} : { category: slug }),
				...(tag === undefined ? {} : { tag }),
				limit: entries,
			}),
		])
		const feed = atomFeed({
			title: `${scope.title} · ${SITE_NAME}`,
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

async function scopeOf(slug: string | undefined, tag: string | undefined): Promise<{ title: string; path: string }> {
	if (slug !== undefined)
		return { title: `Newest questions in ${(await getCategoryPage(null, slug)).title}`, path: categoryPath(slug) }
	if (tag !== undefined) {
		const { name } = await getTag(null, tag)
		return { title: `Newest questions tagged ${name}`, path: tagPath(name) }
	}
	return { title: 'Newest queries', path: '/forum' }
}
