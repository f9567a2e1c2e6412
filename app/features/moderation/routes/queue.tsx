import { useRef } from 'react'
import { withParams } from '~/lib/addresses.ts'
import { pageMeta } from '~/lib/page-meta.ts'
import { withHttpErrors } from '~/platform/http/http.ts'
import { Link } from '~/ui/link.tsx'
import { EmptyState } from '~/ui/list-states.tsx'
import { MoreLink } from '~/ui/more-link.tsx'
import { useFocusFallback } from '~/ui/use-focus-kept.ts'
import { useMore, withoutDuplicates } from '~/ui/use-more.ts'
import { CaseCard, caseHeadingId } from '../components/case-card.tsx'
import { ModerationFrame } from '../components/moderation-frame.tsx'
import { visitQueue } from '../handling/handling.server.ts'
import { requirePageModerator } from '../members.server.ts'
import { type AssigneeFilter, assigneeFilters } from '../moderation.policy.ts'
import { listCases, type QueueOrder } from '../queue.server.ts'
import type { Route } from './+types/queue'

export function loader({ request, context, url }: Route.LoaderArgs) {
	return withHttpErrors(async () => {
		const viewer = await requirePageModerator({ request, context, url })
		const order: QueueOrder = url.searchParams.get('order') === 'reported' ? 'reported' : 'newest'
		const asked = url.searchParams.get('handler')
		const handler = assigneeFilters.find((one) => one === asked) ?? 'all'
		const cursor = url.searchParams.get('cursor') || null
		const [page] = await Promise.all([listCases(viewer, { order, handler, cursor }), visitQueue(viewer)])
		return { order, handler, cursor, page }
	})
}

export function meta({ matches }: Route.MetaArgs) {
	return pageMeta(matches, { title: 'Moderation', noindex: true })
}

const orders: { order: QueueOrder; title: string }[] = [
	{ order: 'newest', title: 'Newest first' },
	{ order: 'reported', title: 'Most reported first' },
]

const whose: { handler: AssigneeFilter; title: string }[] = [
	{ handler: 'all', title: 'All' },
	{ handler: 'mine', title: 'Mine' },
	{ handler: 'none', title: 'Unassigned' },
]

/** The texts of an empty list. */
const nothing: Record<AssigneeFilter, string> = {
	all: 'Reports and first posts that need your approval appear here.',
	mine: 'Cases that you take or that others assign to you appear here.',
	none: 'Every open case is assigned to somebody.',
}

export default function Moderation({ loaderData: { order, handler, cursor, page } }: Route.ComponentProps) {
	const place = (of: { order?: QueueOrder; handler?: AssigneeFilter; cursor?: string | null }) => {
		const now = { order, handler, ...of }
		return withParams('/moderation', {
			handler: now.handler === 'all' ? null : now.handler,
			order: now.order === 'newest' ? null : now.order,
			cursor: now.cursor ?? null,
		})
	}
	const { rows, nextHref, loading, load } = useMore(page, (next) => place({ cursor: next }))
	const cases = withoutDuplicates(rows, ({ kind, id }) => `${kind}-${id}`)
	const heading = useRef<HTMLHeadingElement>(null)
	useFocusFallback(
		{ list: place({ cursor }), ids: cases.map(caseHeadingId) },
		// In another list, such as “Mine” after a case was assigned, the address names the case.
		(now, before) => now.list === before.list && before.ids.some((id) => !now.ids.includes(id)),
		(now, before) => titleAfterGone(now.ids, before.ids) ?? heading.current,
	)
	return (
		<ModerationFrame title="Moderation" heading={heading}>
			<div className="mt-4 flex flex-wrap justify-between gap-x-6 gap-y-2 text-sm">
				<nav className="flex gap-4" aria-label="Assigned to">
					{whose.map((each) => (
						<Choice key={each.handler} to={place(each)} title={each.title} isChosen={each.handler === handler} />
					))}
				</nav>
				{cases.length > 0 && (
					<nav className="flex gap-4" aria-label="Order">
						{orders.map((each) => (
							<Choice key={each.order} to={place(each)} title={each.title} isChosen={each.order === order} />
						))}
					</nav>
				)}
			</div>
			{cases.length === 0 ? (
				<EmptyState title="Nothing to decide">{nothing[handler]}</EmptyState>
			) : (
				<>
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

/** The title of the case after the one that has gone, of the last case if it was the last. @param ids of headings */
function titleAfterGone(ids: string[], before: string[]): HTMLElement | null {
	const gone = before.findIndex((id) => !ids.includes(id))
	const next = before.slice(gone + 1).find((id) => ids.includes(id)) ?? ids.at(-1)
	return document.getElementById(next ?? '')?.querySelector('a') ?? null
}

function Choice({ to, title, isChosen }: { to: string; title: string; isChosen: boolean }) {
	return (
		<Link className={isChosen ? 'font-semibold' : 'link text-ink-2'} to={to} aria-current={isChosen || undefined}>
			{title}
		</Link>
	)
}
