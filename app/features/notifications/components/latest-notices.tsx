import { useEffect } from 'react'
import { Link, useFetcher } from 'react-router'
import type { NoticeView } from '../notifications.view.ts'
import { NoticeLink } from './notice-item.tsx'

/** The latest ten, asked for whenever they are shown or their number changes meanwhile. */
export function LatestNotices({ unread, open }: { unread: number; open: boolean }) {
	const { data, load } = useFetcher<{ rows: NoticeView[] }>()
	const marking = useFetcher()
	// biome-ignore lint/correctness/useExhaustiveDependencies: another number of unread ones means another list
	useEffect(() => {
		if (open) void load('/notifications/latest')
	}, [open, unread, load])
	return (
		<>
			<div aria-live="polite" className="max-h-[min(26rem,60dvh)] overflow-y-auto">
				{!data && <p className="p-4 text-sm text-ink-3">Loading...</p>}
				{data?.rows.length === 0 && <p className="p-4 text-sm text-ink-2">No notifications yet.</p>}
				{data && data.rows.length > 0 && (
					<ul className="p-1" aria-label="Notifications">
						{data.rows.map((notice) => (
							<li key={notice.id}>
								<NoticeLink notice={notice} className="menu-item items-start gap-3 py-2" />
							</li>
						))}
					</ul>
				)}
			</div>
			<div className="flex items-center justify-between border-t border-line px-4 py-2.5 text-sm">
				{/* Not disabled outright: that would take the focus away from whoever pressed it. */}
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
