import { withParams } from '~/lib/addresses.ts'
import { pageMeta } from '~/lib/page-meta.ts'
import { answering } from '~/platform/http/http.ts'
import { EmptyState } from '~/ui/empty-state.tsx'
import { Link } from '~/ui/link.tsx'
import { MoreLink } from '~/ui/more-link.tsx'
import { useMore, withoutDoubles } from '~/ui/use-more.ts'
import { CaseCard } from '../components/case-card.tsx'
import { ModerationFrame } from '../components/moderation-frame.tsx'
import { moderatorOf } from '../members.server.ts'
import { listCases, type QueueOrder } from '../queue.server.ts'
import type { Route } from './+types/queue'

export function loader({ request, context, url }: Route.LoaderArgs) {
	return answering(async () => {
		const viewer = await moderatorOf({ request, context, url })
		const order: QueueOrder = url.searchParams.get('order') === 'reported' ? 'reported' : 'newest'
		const cursor = url.searchParams.get('cursor') || null
		return { order, cursor, page: await listCases(viewer, { order, cursor }) }
	})
}

export function meta({ matches }: Route.MetaArgs) {
	return pageMeta(matches, { title: 'Moderation', noindex: true })
}

const orders: { order: QueueOrder; title: string }[] = [
	{ order: 'newest', title: 'Newest first' },
	{ order: 'reported', title: 'Most reported first' },
]

export default function Moderation({ loaderData: { order, page } }: Route.ComponentProps) {
	const here = (cursor: string | null) =>
		withParams('/moderation', { order: order === 'newest' ? null : order, cursor })
	const { rows, nextHref, loading, load } = useMore(page, here)
	const cases = withoutDoubles(rows, ({ kind, id }) => `${kind}-${id}`)
	return (
		<ModerationFrame title="Moderation">
			{cases.length === 0 ? (
				<EmptyState title="Nothing to decide">Reports and first posts that need your approval appear here.</EmptyState>
			) : (
				<>
					<nav className="mt-4 flex gap-4 text-sm" aria-label="Order">
						{orders.map((each) => (
							<Link
								key={each.order}
								className={each.order === order ? 'font-semibold' : 'link text-ink-2'}
								to={withParams('/moderation', { order: each.order === 'newest' ? null : each.order })}
								aria-current={each.order === order || undefined}
							>
								{each.title}
							</Link>
						))}
					</nav>
					<ul>
						{cases.map((entry) => (
							<CaseCard key={`${entry.kind}-${entry.id}`} entry={entry} />
						))}
					</ul>
					{nextHref && (
						<p className="mt-6">
							<MoreLink href={nextHref} loading={loading} load={load}>
								Load more cases
							</MoreLink>
						</p>
					)}
				</>
			)}
		</ModerationFrame>
	)
}
