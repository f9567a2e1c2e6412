import { Answered } from '~/features/search/components/answered.tsx'
import { FollowedList } from '~/features/tags/components/followed-list.tsx'
import { listFollowed } from '~/features/tags/following.server.ts'
import { listCategories } from '~/features/tags/tags.server.ts'
import { withParams } from '~/lib/addresses.ts'
import { pageMeta } from '~/lib/page-meta.ts'
import { counted } from '~/lib/text.ts'
import { answering, signedIn } from '~/platform/http/http.ts'
import { EmptyState } from '~/ui/empty-state.tsx'
import { Link } from '~/ui/link.tsx'
import { MoreLink } from '~/ui/more-link.tsx'
import { RuleHead } from '~/ui/rule-head.tsx'
import { RelativeTime } from '~/ui/time.tsx'
import { useMore, withoutDoubles } from '~/ui/use-more.ts'
import { FollowQuery } from '../components/follow-buttons.tsx'
import { listFollowedQuestions } from '../following.server.ts'
import type { FollowedQuestionView } from '../following.view.ts'
import type { Route } from './+types/following'

export function loader({ context, url }: Route.LoaderArgs) {
	return answering(async () => {
		const viewer = signedIn(context, url)
		const cursor = url.searchParams.get('cursor') || null
		const [page, followed, known] = await Promise.all([
			listFollowedQuestions(viewer, cursor),
			listFollowed(viewer),
			listCategories(),
		])
		return { page, followed, known, cursor }
	})
}

export function meta({ matches }: Route.MetaArgs) {
	return pageMeta(matches, { title: 'Following', noindex: true })
}

export default function Following({ loaderData }: Route.ComponentProps) {
	const { page, followed, known, cursor } = loaderData
	const more = useMore(page, (next) => withParams('/following', { cursor: next }))
	const rows = withoutDoubles(more.rows, ({ id }) => id)
	return (
		<div className="max-w-[44rem] pt-6 md:pt-8">
			<h1 className="text-2xl leading-9 font-bold">Following</h1>
			<p className="mt-1 text-ink-2">
				You are notified of new comments on these queries, and of new queries in these tags and categories.
			</p>
			<FollowedList {...followed} known={known} />
			<section className="mt-8" aria-labelledby="followed-queries">
				<RuleHead id="followed-queries" title="Queries" />
				{rows.length === 0 ? (
					<EmptyState title={cursor === null ? 'No queries yet.' : 'No more queries.'}>
						Press “Follow” or “I have this too” under a query, and it stands here.
					</EmptyState>
				) : (
					<ul>
						{rows.map((query) => (
							<FollowedItem key={query.id} query={query} />
						))}
					</ul>
				)}
			</section>
			{(cursor !== null || more.nextHref) && (
				<nav className="flex items-center justify-between gap-4 py-4 text-sm" aria-label="Pages">
					{cursor !== null && (
						<Link className="btn btn-sm btn-ghost -ml-2.5" to="/following">
							Back to the first page
						</Link>
					)}
					{more.nextHref && (
						<span className="ml-auto">
							<MoreLink href={more.nextHref} loading={more.loading} load={more.load}>
								Load more
							</MoreLink>
						</span>
					)}
				</nav>
			)}
		</div>
	)
}

function FollowedItem({ query }: { query: FollowedQuestionView }) {
	return (
		<li className="flex items-start gap-4 border-b border-line py-3">
			<div className="min-w-0 flex-1">
				<h3 className="text-md font-semibold wrap-anywhere">
					<Link className="quiet-link" to={query.url}>
						{query.title}
					</Link>
				</h3>
				<p className="meta mt-1 flex flex-wrap items-center gap-x-3">
					{query.solved && <Answered />}
					<span>{counted(query.commentCount, 'comment', 'comments')}</span>
					<span>
						active <RelativeTime at={query.activeAt} />
					</span>
				</p>
			</div>
			<FollowQuery query={query.id} following label={`Follow ${query.title}`} />
		</li>
	)
}
