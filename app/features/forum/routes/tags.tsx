import { useLocation } from 'react-router'
import { pageMeta } from '~/lib/page-meta.ts'
import { CategoryStrip } from '../components/category-nav.tsx'
import { useForumFrame } from '../components/forum-frame.ts'
import { TagRow } from '../components/tag-index.tsx'
import { listTags } from '../reading.server.ts'
import type { Route } from './+types/tags'

/** As many as fit a page that can still be read; rarer ones are found by searching. */
const tagsShown = 300

export async function loader() {
	return { tags: await listTags(tagsShown) }
}

export function meta({ matches }: Route.MetaArgs) {
	return pageMeta(matches, {
		title: 'Tags',
		description: 'What the questions of the forum are about, the most used tags first.',
		canonical: '/forum/tags',
	})
}

export default function Tags({ loaderData: { tags } }: Route.ComponentProps) {
	const { categories } = useForumFrame()
	const { pathname } = useLocation()
	return (
		<div className="min-w-0">
			<h1 className="text-2xl leading-9 font-bold">Tags</h1>
			<p className="mt-2 text-ink-2">
				{tags.length === tagsShown ? `The ${tagsShown} most used ones.` : 'The most used ones first.'}
			</p>
			<CategoryStrip categories={categories} pathname={pathname} search={null} />
			<ul className="mt-5 grid gap-x-8 border-t border-rule pt-2 sm:grid-cols-2 lg:grid-cols-3 xl:grid-cols-2">
				{tags.map((tag) => (
					<TagRow key={tag.name} tag={tag} />
				))}
			</ul>
		</div>
	)
}
