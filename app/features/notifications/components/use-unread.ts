import { useEffect } from 'react'
import { useRootData } from '~/lib/root-data.ts'
import { useLiveCount, useLiveEvent } from '~/platform/realtime/use-live-event.ts'

/** The number of unread notifications: from the last page load, or the socket since then. */
export function useUnread(): number {
	const { unread, requestId } = useRootData()
	const [count, hear] = useLiveCount(unread, requestId)
	useLiveEvent('notifications:changed', (event) => hear(event.unread))
	return count
}

/** Shows “(3) ” before the title of every page, and the number on the icon of an installed app. */
export function useTitleCount(count: number): void {
	useEffect(() => void navigator.setAppBadge?.(count).catch(() => {}), [count])
	useEffect(() => {
		const mark = () => {
			const plain = document.title.replace(/^\(\d+\) /, '')
			const title = count > 0 ? `(${count}) ${plain}` : plain
			if (document.title !== title) document.title = title
		}
		mark()
		const observer = new MutationObserver(mark)
		observer.observe(document.head, { childList: true, subtree: true, characterData: true })
		return () => observer.disconnect()
	}, [count])
}
