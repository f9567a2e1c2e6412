import { Link, useLocation } from 'react-router'
import type { QuestionCardView } from '~/features/questions/question.view.ts'
import { Answered } from '~/features/search/components/answered.tsx'
import { categoryPath } from '~/features/tags/tags.view.ts'
import { withParams } from '~/lib/addresses.ts'
import { counted } from '~/lib/text.ts'
import { MoreLink } from '~/ui/more-link.tsx'
import { RelativeTime } from '~/ui/time.tsx'
import { type MorePage, useMore, withoutDoubles } from '~/ui/use-more.ts'
import { Nothing } from './sections.tsx'

interface OwnQuestionsProps extends MorePage<QuestionCardView> {
	/** The tab that the list stands in, where there are tabs. */
	tab?: string
}

/** The questions of one member, newest first; more are appended in place, and stay when the reader comes back. */
export function OwnQuestions({ page, cursor, tab }: OwnQuestionsProps) {
	const { pathname } = useLocation()
	const { rows, nextHref, loading, load } = useMore(page, (next) => withParams(pathname, { tab, cursor: next }))
	if (rows.length === 0) return <Nothing>No Queries Found!</Nothing>
	return (
		<>
			<ul className="mt-0.5">
				{withoutDoubles(rows, ({ id }) => id).map((query) => (
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
			{(nextHref || cursor) && (
				<p className="mt-5 flex gap-2">
					{nextHref && (
						<MoreLink href={nextHref} loading={loading} load={load}>
							Load more queries
						</MoreLink>
					)}
					{cursor && (
						<Link className="btn btn-sm btn-ghost" to={withParams(pathname, { tab })} preventScrollReset>
							Newest queries
						</Link>
					)}
				</p>
			)}
		</>
	)
}
