import type { PageHandle } from '~/lib/page-handle.ts'
import { pageMeta } from '~/lib/page-meta.ts'
import { withHttpErrors } from '~/platform/http/http.ts'
import { ListPage, useForumFrame } from '../components/list-page.tsx'
import { loadList, recentPage } from '../lists.server.ts'
import { listMeta } from '../lists.view.ts'
import type { Route } from './+types/recent'

export const handle: PageHandle = { revisit: true }

export function loader({ context, url, request }: Route.LoaderArgs) {
	return withHttpErrors(() => loadList(recentPage, { context, url, request }, {}))
}

export function meta({ loaderData, matches }: Route.MetaArgs) {
	return pageMeta(matches, {
		...listMeta('Forum', '/forum', loaderData),
		description:
			'Questions and answers of students about code, tools and study projects. Everybody can read; members ask, comment and reply.',
		feed: { path: '/forum/feed.atom', title: 'Newest queries' },
	})
}

export default function Recent({ loaderData }: Route.ComponentProps) {
	const { total } = useForumFrame()
	return <ListPage title="Recent Queries" data={loaderData} total={total} />
}
