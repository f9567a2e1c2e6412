import { Check } from 'lucide-react'
import { Form, Link } from 'react-router'
import { Avatar } from '~/ui/avatar.tsx'
import { RelativeTime } from '~/ui/time.tsx'
import { others } from '../channels.ts'
import type { NoticeView } from '../notifications.view.ts'

/** A row of the page: what happened, leading there, and a form that marks it as read. @param from where the form leads back to */
export function NoticeItem({ notice, from }: { notice: NoticeView; from: string }) {
	return (
		<li className="flex items-center gap-2 border-b border-line">
			<NoticeLink
				notice={notice}
				className="-mx-2 flex min-w-0 flex-1 items-start gap-3 rounded-sm px-2 py-3 hover:bg-hover"
			/>
			{notice.unread && (
				<Form method="post" action="/notifications">
					<input type="hidden" name="id" value={notice.id} />
					<input type="hidden" name="from" value={from} />
					<button className="icon-btn" type="submit" aria-label={`Mark as read: ${notice.title || notice.words}`}>
						<Check className="icon" aria-hidden="true" />
					</button>
				</Form>
			)}
		</li>
	)
}

/** What happened, as a link to where it did. */
export function NoticeLink({ notice, className }: { notice: NoticeView; className: string }) {
	const { actor, by, people, words, title, reason, url, at, unread } = notice
	return (
		<Link className={className} to={url}>
			<Avatar user={actor ?? { username: 'somebody', name: by, image: null }} size={32} />
			<span className="min-w-0 flex-1 text-sm leading-5 text-ink-2 wrap-anywhere">
				<span className="font-semibold text-ink">
					<bdi>{by}</bdi>
					{others(people)}
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
			{unread && <span className="mt-1.5 size-2 flex-none bg-marigold" role="img" aria-label="Unread" />}
		</Link>
	)
}
