import { answering } from '~/lib/http.ts'
import { pageMeta } from '~/lib/page-meta.ts'
import { listMeta } from '../components/list-meta.ts'
import { ListPage } from '../components/list-page.tsx'
import { categoryPath } from '../forum.paths.ts'
import { getCategory } from '../reading.server.ts'
import type { Route } from './+types/category'
import { loadList } from './list.server.ts'

export function loader({ params, context, url }: Route.LoaderArgs) {
	return answering(async () => {
		const [{ slug, title, count }, list] = await Promise.all([
			getCategory(params.slug),
			loadList({ context, url }, { category: params.slug }),
		])
		return { ...list, slug, title, count }
	})
}

export function meta({ loaderData, matches }: Route.MetaArgs) {
	if (!loaderData) return pageMeta(matches, { title: 'Forum' })
	const { slug, title, count } = loaderData
	return pageMeta(matches, {
		...listMeta(`${title} queries`, categoryPath(slug), loaderData),
		description: `${count} questions of students about ${title}, with their answers.`,
		feed: { path: `${categoryPath(slug)}/feed.atom`, title: `Newest queries in ${title}` },
	})
}

export default function Category({ loaderData }: Route.ComponentProps) {
	return <ListPage title={loaderData.title} data={loaderData} total={loaderData.count} category={loaderData.slug} />
}
