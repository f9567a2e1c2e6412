import { useEffect, useRef, useState } from 'react'
import { useFetchers, useNavigation, useRevalidator } from 'react-router'
import type { ServerEvents } from './events.ts'
import { openLive, withLive } from './live.ts'

/**
 * Keeps the socket open while this tab shows pages to a member, so that they count as online and hear what happens.
 * @param me username; undefined for a visitor
 */
export function useConnection(me: string | undefined): void {
	useEffect(() => (me ? openLive(me) : undefined), [me])
}

/** Calls `handle` for each event of this name while the component stands. Visitors hear of nothing. */
export function useLiveEvent<Name extends keyof ServerEvents>(name: Name, handle: ServerEvents[Name]): void {
	const latest = useRef(handle)
	useEffect(() => {
		latest.current = handle
	})
	useEffect(
		() =>
			withLive((socket) => {
				const listen = ((...event: Parameters<ServerEvents[Name]>) =>
					// The types of an event and of its handler are those of one name.
					(latest.current as (...event: unknown[]) => void)(...event)) as never
				socket.on(name, listen)
				return () => socket.off(name, listen)
			}),
		[name],
	)
}

/**
 * A number that pages are loaded with and that the socket tells anew whenever it changes: the newer of the two. What is heard
 * while a page is being loaded is newer than what that page was loaded with.
 * @param loaded the number as the last page said it
 * @param loadId names that page's answer
 * @returns the number, and what to call with one that was heard
 */
export function useLiveCount(loaded: number, loadId: string): [count: number, hear: (count: number) => void] {
	const [held, setHeld] = useState({ count: loaded, loadId, isNewer: false })
	const navigating = useNavigation().state !== 'idle'
	const revalidating = useRevalidator().state !== 'idle'
	const fetching = useFetchers().some(({ state }) => state !== 'idle')
	const now = { count: held.isNewer ? held.count : loaded, loadId, isNewer: false }
	if (held.loadId !== loadId) setHeld(now)
	return [
		held.loadId === loadId ? held.count : now.count,
		(count) => setHeld({ count, loadId, isNewer: navigating || revalidating || fetching }),
	]
}
