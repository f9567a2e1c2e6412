import { useEffect, useState } from 'react'
import { useNavigate, useRevalidator } from 'react-router'
import { withLive } from '~/realtime/live.ts'
import { useLiveEvent } from '~/realtime/use-live-event.ts'
import { commentPath } from '../forum.paths.ts'

/** What was heard since the page was loaded; a later load of it makes it void. */
interface Heard {
	page: unknown
	ids: number[]
}

/**
 * The comments that others wrote since the page was loaded. They wait until the reader wants them, so that nothing moves
 * under the eyes.
 * @param page the loader's page of comments: a new one holds what was new
 * @param own the viewer's username, null for a visitor, who has no socket
 */
export function useNewComments(
	queryId: number,
	page: unknown,
	own: string | null,
): { count: number; show: () => void } {
	const [heard, setHeard] = useState<Heard>({ page, ids: [] })
	const [wanted, setWanted] = useState<Heard | null>(null)
	const { revalidate } = useRevalidator()
	const navigate = useNavigate()
	const ids = heard.page === page ? heard.ids : []

	useEffect(() => (own === null ? undefined : watchQuery(queryId)), [queryId, own])

	useLiveEvent('comment:added', (event) => {
		if (event.queryId !== queryId || event.username === own) return
		setHeard((before) => ({ page, ids: [...(before.page === page ? before.ids : []), event.commentId] }))
	})

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

/** Has the server tell this tab of new comments, also after the connection was lost. @returns takes that back */
function watchQuery(queryId: number): () => void {
	return withLive((socket) => {
		const watch = () => socket.emit('query:watch', queryId)
		socket.on('connect', watch)
		if (socket.connected) watch()
		return () => {
			socket.off('connect', watch)
			if (socket.connected) socket.emit('query:watch', null)
		}
	})
}
