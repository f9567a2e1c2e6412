import { useEffect, useRef, useState } from 'react'
import { useNavigation, useRevalidator } from 'react-router'
import { useRootData } from '~/lib/root-data.ts'
import { useLiveCount, useLiveEvent } from '~/platform/realtime/use-live-event.ts'

/** The number of unread notifications: from the last page load, or the socket since then. */
export function useUnread(): number {
	const { unread, requestId } = useRootData()
	const [count, hear] = useLiveCount(unread, requestId)
	useLiveEvent('notifications:changed', (event) => hear(event.unread))
	return count
}

/** Loads the page again once notifications were read elsewhere: at once, or when a hidden tab is shown. */
export function useReadElsewhere(): void {
	const unread = useUnread()
	const { revalidate } = useRevalidator()
	// A form of this page loads it again itself.
	const isBusy = useNavigation().state !== 'idle'
	const before = useRef(unread)
	const [isOld, setOld] = useState(false)
	useEffect(() => {
		if (unread < before.current && !isBusy) setOld(true)
		before.current = unread
	}, [unread, isBusy])
	useEffect(() => {
		if (!isOld) return
		const load = () => {
			if (document.hidden) return
			setOld(false)
			void revalidate()
		}
		load()
		document.addEventListener('visibilitychange', load)
		return () => document.removeEventListener('visibilitychange', load)
	}, [isOld, revalidate])
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
