import { MessageSquare } from 'lucide'
import { useEffect, useState } from 'react'
import { useNavigate, useRevalidator } from 'react-router'
import { commentPath } from '~/features/search/search.view.ts'
import { pluralize } from '~/lib/text.ts'
import type { ServerEvents } from '~/platform/realtime/events.ts'
import { withLive } from '~/platform/realtime/live.ts'
import { Icon } from '~/ui/icon.tsx'

/**
 * Shows how many comments others have added, between the heading and the first comment, so that nothing moves when it appears. It stays
 * visible while scrolling, except while the reader writes, when it would cover the text.
 */
export function NewCommentsBar({ count, show }: { count: number; show: () => void }) {
	return (
		<div
			role="status"
			className="pointer-events-none sticky top-17 z-10 -my-2 flex h-5 justify-center has-[+section]:mb-4 group-has-[textarea:focus]/discussion:static max-sm:h-7"
		>
			{count > 0 && (
				<button
					type="button"
					className="btn btn-outline btn-sm pointer-events-auto mt-2 floating max-sm:h-9"
					onClick={show}
				>
					<Icon of={MessageSquare} className="icon-sm" />
					{pluralize(count, 'new comment')}
				</button>
			)}
		</div>
	)
}

/** Events since the page was loaded; a later load invalidates them. */
interface Heard {
	page: unknown
	ids: number[]
}

/** The loaded comments, and the newest id at that time; a later load includes the new ones. */
interface Loaded {
	page: unknown
	newest: number
}

/**
 * Comments that others added since the page was loaded. They are shown on request, so that nothing moves while reading.
 * @param own the username that the viewer writes under here, null for a visitor, who has no socket
 */
export function useNewComments(
	questionId: number,
	{ page, newest }: Loaded,
	own: string | null,
): { count: number; show: () => void } {
	const [heard, setHeard] = useState<Heard>({ page, ids: [] })
	const [wanted, setWanted] = useState<Heard | null>(null)
	const { revalidate } = useRevalidator()
	const navigate = useNavigate()
	const ids = heard.page === page ? heard.ids : []

	useEffect(() => {
		// A comment that was added while the room was joined arrives twice, and the page may show it already.
		const hear = (fresh: number[]) =>
			setHeard((before) => {
				const unseen = fresh.filter((id) => !document.getElementById(`comment-${id}`))
				return { page, ids: [...new Set([...(before.page === page ? before.ids : []), ...unseen])] }
			})
		return own === null ? undefined : watchQuestion(questionId, newest, own, hear)
	}, [questionId, page, newest, own])

	useEffect(() => {
		if (!wanted || wanted.page === page) return
		setWanted(null)
		const shown = wanted.ids.find((id) => document.getElementById(`comment-${id}`))
		// A comment on a later page, or too deep, is looked up.
		navigate(shown ? { search: location.search, hash: `#comment-${shown}` } : commentPath(wanted.ids[0] ?? 0), {
			replace: true,
		})
	}, [wanted, page, navigate])

	return {
		count: ids.length,
		show: () => {
			setWanted({ page, ids })
			void revalidate()
		},
	}
}

/**
 * Subscribes this tab to new comments, also after reconnecting, including those that it missed.
 * @returns unsubscribes
 */
function watchQuestion(questionId: number, newest: number, own: string, hear: (ids: number[]) => void): () => void {
	return withLive((socket) => {
		let left = false
		const watch = () => socket.emit('query:watch', questionId, newest, (ids) => !left && hear(ids))
		const listen: ServerEvents['comment:added'] = (event) => {
			if (event.questionId === questionId && event.username !== own) hear([event.commentId])
		}
		socket.on('connect', watch)
		socket.on('comment:added', listen)
		if (socket.connected) watch()
		return () => {
			left = true
			socket.off('connect', watch)
			socket.off('comment:added', listen)
			if (socket.connected) socket.emit('query:watch', null)
		}
	})
}
