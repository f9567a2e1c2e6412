import { Check } from 'lucide'
import { type RefObject, useEffect, useRef, useState } from 'react'
import { useFetcher } from 'react-router'
import { fetchJsonWithRetries } from '~/lib/retry.ts'
import { useLiveEvent } from '~/platform/realtime/use-live-event.ts'
import { Avatar } from '~/ui/avatar.tsx'
import { Icon } from '~/ui/icon.tsx'
import { Form, Link } from '~/ui/link.tsx'
import { LoadFailed } from '~/ui/load-failed.tsx'
import { RelativeTime } from '~/ui/time.tsx'
import { useFocusAfterRemoval, useFocusFallback } from '~/ui/use-focus-kept.ts'
import type { NotificationView } from '../notifications.view.ts'
import { andOthers } from '../notifications.view.ts'

/** A row of the page: what happened, with a link, and a form that marks it as read. @param from where the form leads back to */
export function NotificationItem({ notification, from }: { notification: NotificationView; from: string }) {
	const link = useRef<HTMLAnchorElement>(null)
	useFocusFallback(notification.unread, (unread, before) => before && !unread, link)
	return (
		<li className="flex items-start gap-2 border-b border-line">
			<NotificationLink
				place={link}
				notification={notification}
				className="-mx-2 flex min-w-0 flex-1 items-start gap-3 rounded-sm px-2 py-3 hover:bg-hover"
			/>
			{notification.unread && (
				<Form className="pt-1" method="post" action="/notifications" replace preventScrollReset>
					<input type="hidden" name="id" value={notification.id} />
					{/* It may have got another event, which was not shown. */}
					<input type="hidden" name="until" value={notification.at} />
					<input type="hidden" name="from" value={from} />
					<button
						className="icon-btn"
						type="submit"
						aria-label={`Mark as read: ${notification.title || notification.words}`}
					>
						<Icon of={Check} />
					</button>
				</Form>
			)}
		</li>
	)
}

interface NotificationLinkProps {
	notification: NotificationView
	className: string
	place?: RefObject<HTMLAnchorElement | null>
}

/** What happened, as a link to its place: an unread one by way of an address that marks it as read. */
function NotificationLink({ notification, className, place }: NotificationLinkProps) {
	const { id, actor, by, people, words, title, reason, url, at, unread } = notification
	return (
		<Link ref={place} className={className} to={unread ? `/notifications/${id}` : url}>
			<Avatar user={actor ?? { username: 'somebody', name: by, image: null }} size={32} />
			<span className="min-w-0 flex-1 text-sm leading-5 text-ink-2 wrap-anywhere">
				<span className="font-semibold text-ink">
					<bdi>{by}</bdi>
					{andOthers(people)}
				</span>{' '}
				{words} <bdi className="text-ink">{title}</bdi>
				{reason && (
					<span className="mt-0.5 line-clamp-3">
						Reason: <bdi>{reason}</bdi>
					</span>
				)}
				<span className="meta block">
					<RelativeTime at={at} />
				</span>
			</span>
			{unread && (
				<span className="mt-1.5 size-2 flex-none bg-marigold forced-colors:outline" role="img" aria-label="Unread" />
			)}
		</Link>
	)
}

/** The latest ten, loaded whenever the panel opens and something changes. */
export function LatestNotifications({ unread, open }: { unread: number; open: boolean }) {
	const [rows, setRows] = useState<NotificationView[]>()
	const [failed, setFailed] = useState(false)
	const [tries, setTries] = useState(0)
	const [busy, setBusy] = useState(false)
	const scroller = useRef<HTMLDivElement>(null)
	const marking = useFetcher()
	const [changes, setChanges] = useState(0)
	// Another comment on the same question changes a notification, and not their number.
	useLiveEvent('notifications:changed', () => setChanges((count) => count + 1))
	// biome-ignore lint/correctness/useExhaustiveDependencies: each change means a changed list, each try another request
	useEffect(() => {
		if (!open) return
		const closed = new AbortController()
		const load = async () => {
			// What is loaded counts as seen, and is not mailed.
			if (document.hidden) return
			setBusy(true)
			const latest = await fetchJsonWithRetries<{ rows: NotificationView[] }>('/notifications/latest', closed.signal)
			if (closed.signal.aborted) return
			setBusy(false)
			setFailed(!latest)
			if (latest) setRows(latest.rows)
		}
		void load()
		document.addEventListener('visibilitychange', load, { signal: closed.signal })
		return () => closed.abort()
	}, [open, unread, changes, tries])
	useFocusAfterRemoval(
		() => scroller.current,
		() => scroller.current?.querySelector('a') ?? null,
	)
	return (
		<>
			<div ref={scroller} className="max-h-[min(26rem,60dvh)] overflow-y-auto">
				{!rows &&
					(failed ? (
						<LoadFailed busy={busy} onRetry={() => setTries(tries + 1)} />
					) : (
						<p className="p-4 text-sm text-ink-3">Loading...</p>
					))}
				{rows?.length === 0 && <p className="p-4 text-sm text-ink-2">No notifications yet.</p>}
				{rows && rows.length > 0 && (
					<ul className="p-1" aria-label="Notifications">
						{rows.map((notification) => (
							<li key={notification.id}>
								<NotificationLink notification={notification} className="menu-item items-start gap-3 py-2" />
							</li>
						))}
					</ul>
				)}
			</div>
			<div className="flex items-center justify-between border-t border-line px-4 py-2.5 text-sm">
				{/* Not `disabled`, as that would take the focus away from the pressed button. */}
				<marking.Form
					method="post"
					action="/notifications/read"
					onSubmit={(event) => unread === 0 && event.preventDefault()}
				>
					<button className="quiet-link text-ink-2" type="submit" aria-disabled={unread === 0}>
						Mark all as read
					</button>
				</marking.Form>
				<Link className="quiet-link font-semibold" to="/notifications">
					See all
				</Link>
			</div>
		</>
	)
}
