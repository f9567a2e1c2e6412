import { CheckCheck } from 'lucide'
import { useRef } from 'react'
import { withParams } from '~/lib/addresses.ts'
import { isId } from '~/lib/checks.ts'
import { pageMeta } from '~/lib/page-meta.ts'
import { isTimeText } from '~/platform/http/cursors.ts'
import { readForm } from '~/platform/http/form.server.ts'
import { redirectWithSuccess, requireLogin, safeRedirect, withHttpErrors } from '~/platform/http/http.ts'
import { Icon } from '~/ui/icon.tsx'
import { Form, Link } from '~/ui/link.tsx'
import { EmptyState } from '~/ui/list-states.tsx'
import { ListPages } from '~/ui/more-link.tsx'
import { useFocusFallback } from '~/ui/use-focus-kept.ts'
import { useMore, withoutDuplicates } from '~/ui/use-more.ts'
import { NotificationItem } from '../components/notification-list.tsx'
import { useReadElsewhere } from '../components/use-unread.ts'
import { listNotifications, readNotifications } from '../notifications.server.ts'
import type { Route } from './+types/notifications'

export function loader({ context, url }: Route.LoaderArgs) {
	return withHttpErrors(async () => {
		const viewer = requireLogin(context, url)
		const unread = url.searchParams.get('show') === 'unread'
		const cursor = url.searchParams.get('cursor') || null
		return { page: await listNotifications(viewer, { unread, cursor }), unread, cursor }
	})
}

export async function action({ request, context, url }: Route.ActionArgs) {
	const viewer = requireLogin(context, url)
	const form = await readForm(request)
	return withHttpErrors(async () => {
		const [id, until] = [form.get('id'), form.get('until')]
		await readNotifications(viewer, {
			...(id !== null && { ids: [Number(id)].filter(isId) }),
			...(isTimeText(until) && { until }),
		})
		return redirectWithSuccess(safeRedirect(form.get('from'), '/notifications'), 'Marked as read.')
	})
}

export function meta({ matches }: Route.MetaArgs) {
	return pageMeta(matches, { title: 'Notifications', noindex: true })
}

export default function Notifications({ loaderData }: Route.ComponentProps) {
	const { page, unread, cursor } = loaderData
	const pathAt = (at: string | null) => withParams('/notifications', { show: unread ? 'unread' : null, cursor: at })
	const more = useMore(page, pathAt)
	const rows = withoutDuplicates(more.rows, ({ id }) => id)
	const heading = useRef<HTMLHeadingElement>(null)
	useReadElsewhere()
	useFocusFallback(rows.length, (count, before) => count < before, heading)
	return (
		<div className="max-w-[44rem] pt-6 md:pt-8">
			<div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
				<h1 ref={heading} className="text-2xl leading-9 font-bold" tabIndex={-1}>
					Notifications
				</h1>
				{/* Later pages do not show the newest. */}
				{rows.length > 0 && cursor === null && (
					<Form method="post" action="/notifications">
						<input type="hidden" name="from" value={pathAt(null)} />
						{/* What came since then was not shown. */}
						<input type="hidden" name="until" value={rows[0]?.at} />
						<button className="btn btn-outline" type="submit">
							<Icon of={CheckCheck} /> Mark all as read
						</button>
					</Form>
				)}
			</div>
			<Filter unread={unread} />
			{rows.length === 0 ? (
				<NoNotifications unread={unread} isFirst={cursor === null} />
			) : (
				<ul className="mt-2">
					{rows.map((notification) => (
						<NotificationItem key={notification.id} notification={notification} from={pathAt(cursor)} />
					))}
				</ul>
			)}
			<ListPages firstHref={cursor === null ? null : pathAt(null)} more={more}>
				<Link className="link" to="/settings#notifications">
					Notification settings
				</Link>
			</ListPages>
		</div>
	)
}

/** The content of an empty page of the list. */
function NoNotifications({ unread, isFirst }: { unread: boolean; isFirst: boolean }) {
	if (!isFirst) return <EmptyState title="No more notifications." />
	return (
		<EmptyState
			title={unread ? 'No unread notifications.' : 'No notifications yet.'}
			action={
				<Link className="btn btn-outline" to={unread ? '/notifications' : '/forum/tags'}>
					{unread ? 'Show all notifications' : 'Find tags to follow'}
				</Link>
			}
		>
			When somebody answers you, mentions you or asks in a tag you follow, it appears here.
		</EmptyState>
	)
}

function Filter({ unread }: { unread: boolean }) {
	return (
		<nav className="tabs mt-5" aria-label="Which notifications">
			<Link
				className="tab"
				to="/notifications"
				aria-current={unread ? undefined : 'page'}
				data-active={unread ? undefined : ''}
			>
				All
			</Link>
			<Link
				className="tab"
				to="/notifications?show=unread"
				aria-current={unread ? 'page' : undefined}
				data-active={unread ? '' : undefined}
			>
				Unread
			</Link>
		</nav>
	)
}
