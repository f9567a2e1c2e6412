import { redirect } from 'react-router'
import { FollowButton } from '~/features/tags/components/follow-button.tsx'
import { getCategoryPage } from '~/features/tags/tags.server.ts'
import { askersNotices, categoryPath } from '~/features/tags/tags.view.ts'
import { viewerOf } from '~/lib/context.ts'
import type { PageHandle } from '~/lib/page-handle.ts'
import { pageMeta } from '~/lib/page-meta.ts'
import { pluralize } from '~/lib/text.ts'
import { withHttpErrors } from '~/platform/http/http.ts'
import { ListPage } from '../components/list-page.tsx'
import { categoryPage, loadList } from '../lists.server.ts'
import { listMeta } from '../lists.view.ts'
import type { Route } from './+types/category'

export const handle: PageHandle = { revisit: true }

/** A former slug redirects to the category. */
export function loader({ params, context, url, request }: Route.LoaderArgs) {
	return withHttpErrors(async () => {
		const [{ slug, title, count, description, askers, following }, list] = await Promise.all([
			getCategoryPage(viewerOf(context), params.slug),
			loadList(categoryPage, { context, url, request }, { category: params.slug }),
		])
		if (slug !== params.slug) throw redirect(categoryPath(slug) + url.search, 301)
		return { ...list, slug, title, count, description, askers, following }
	})
}

export function meta({ loaderData, matches }: Route.MetaArgs) {
	if (!loaderData) return pageMeta(matches, { title: 'Forum' })
	const { slug, title, count, description } = loaderData
	return pageMeta(matches, {
		...listMeta(`${title} queries`, categoryPath(slug), loaderData),
		description: description || `${pluralize(count, 'question')} of students about ${title}, with answers.`,
		feed: { path: `${categoryPath(slug)}/feed.atom`, title: `Newest queries in ${title}` },
	})
}

export default function Category({ loaderData }: Route.ComponentProps) {
	const { slug, title, count, description, askers, following } = loaderData
	const intro = (
		<>
			{description && <p className="mt-2 max-w-[60ch] text-ink-2 wrap-anywhere">{description}</p>}
			{askers !== 'everybody' && <p className="meta mt-2">{askersNotices[askers]}</p>}
			<div className="mt-2 flex">
				<FollowButton key={slug} target={{ category: slug }} name={title} following={following} />
			</div>
		</>
	)
	return <ListPage title={title} intro={intro} data={loaderData} total={count} category={slug} />
}
