import { redirect } from 'react-router'
import { answering } from '~/lib/http.ts'
import { pageMeta } from '~/lib/page-meta.ts'
import { listMeta } from '../components/list-meta.ts'
import { ListPage } from '../components/list-page.tsx'
import { tagPath } from '../forum.paths.ts'
import { getTag } from '../reading.server.ts'
import type { Route } from './+types/tag'
import { loadList } from './list.server.ts'

export function loader({ params, context, url }: Route.LoaderArgs) {
	return answering(async () => {
		const { name, count } = await getTag(params.tag)
		if (name !== params.tag) throw redirect(tagPath(name) + url.search, 301)
		return { ...(await loadList({ context, url }, { tag: name })), name, count }
	})
}

export function meta({ loaderData, matches }: Route.MetaArgs) {
	if (!loaderData) return pageMeta(matches, { title: 'Forum' })
	const { name, count } = loaderData
	return pageMeta(matches, {
		...listMeta(`Queries about ${name}`, tagPath(name), loaderData),
		description: `${count} questions of students tagged ${name}, with their answers.`,
		feed: { path: `${tagPath(name)}/feed.atom`, title: `Newest queries tagged ${name}` },
	})
}

export default function Tag({ loaderData }: Route.ComponentProps) {
	const heading = <span className="font-mono tracking-tight">#{loaderData.name}</span>
	return <ListPage title={`#${loaderData.name}`} heading={heading} data={loaderData} total={loaderData.count} />
}
