import { Link } from 'react-router'
import { Answered } from '~/features/forum/components/answered.tsx'
import { categoryPath } from '~/features/forum/forum.paths.ts'
import type { Page, QueryCardView } from '~/features/forum/forum.present.ts'
import { counted } from '~/lib/text.ts'
import { LoadMore } from '~/ui/load-more.tsx'
import { RelativeTime } from '~/ui/time.tsx'
import { Nothing } from './sections.tsx'

/** The queries of one member, newest first. */
export function OwnQueries({ queries }: { queries: Page<QueryCardView> }) {
	if (queries.rows.length === 0) return <Nothing>No Queries Found!</Nothing>
	return (
		<>
			<ul className="mt-0.5">
				{queries.rows.map((query) => (
					<li
						key={query.id}
						className="flex items-start justify-between gap-6 border-b border-line py-3 first:pt-0 last:border-0 max-sm:flex-col max-sm:gap-1"
					>
						<div className="min-w-0">
							<p className="flex items-center gap-4">
								<Link className="cat" to={categoryPath(query.category.slug)}>
									{query.category.title}
								</Link>
								{query.solved && <Answered />}
							</p>
							<h3 className="mt-0.5 text-md leading-5 font-semibold wrap-anywhere">
								<Link className="quiet-link" to={query.url}>
									{query.title}
								</Link>
							</h3>
						</div>
						<p className="meta flex-none sm:text-right">
							<RelativeTime at={query.createdAt} />
							<br className="max-sm:hidden" />
							<span className="sm:hidden"> · </span>
							{counted(query.commentCount, 'comment')}
						</p>
					</li>
				))}
			</ul>
			<LoadMore next={queries.next}>Load more queries</LoadMore>
		</>
	)
}
