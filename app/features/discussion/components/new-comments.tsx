import { MessageSquare } from 'lucide'
import { useEffect, useState } from 'react'
import { useNavigate, useRevalidator } from 'react-router'
import { commentPath } from '~/features/search/search.view.ts'
import { counted } from '~/lib/text.ts'
import type { ServerEvents } from '~/platform/realtime/events.ts'
import { withLive } from '~/platform/realtime/live.ts'
import { Icon } from '~/ui/icon.tsx'

/**
 * Tells how many comments others wrote meanwhile. Its place under the head is always free, so that nothing moves when it comes.
 * It follows the reader down the threads, except while they write: there it would lie on the text.
 */
export function NewCommentsBar({ count, show }: { count: number; show: () => void }) {
	return (
		<div
			role="status"
			className="sticky top-17 z-10 flex h-5 justify-center group-has-[textarea:focus]/discussion:static max-sm:h-7"
		>
			{count > 0 && (
				<button type="button" className="btn btn-outline btn-sm mt-2 shadow-overlay max-sm:h-9" onClick={show}>
					<Icon of={MessageSquare} className="icon-sm" />
					{counted(count, 'new comment')}
				</button>
			)}
		</div>
	)
}

/** What was heard since the page was loaded; a later load of it makes it void. */
interface Heard {
	page: unknown
	ids: number[]
}

/** The page's comments as they were loaded, and the newest that there was then; a new one holds what was new. */
interface Loaded {
	page: unknown
	newest: number
}

/**
 * The comments that others wrote since the page was loaded. They wait until the reader wants them, so that nothing moves
 * under the eyes.
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
		// One that was written while the room was entered comes both as an answer and as an event; the page may show it already.
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
		// One that stands on a later page, or too deep, is looked up.
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
 * Has the server tell this tab of new comments, also after the connection was lost: of those that it missed, too.
 * @returns takes that back
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
