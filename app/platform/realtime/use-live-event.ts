import { useEffect, useRef, useState } from 'react'
import { useFetchers, useNavigation, useRevalidator } from 'react-router'
import type { ServerEvents } from './events.ts'
import { openLive, withLive } from './live.ts'

/**
 * Keeps the socket open while this tab shows pages to a member, for their presence and for live events.
 * @param me username; undefined for a visitor
 */
export function useConnection(me: string | undefined): void {
	useEffect(() => (me ? openLive(me) : undefined), [me])
}

/** Calls `handle` for each event of this name while the component is mounted. Visitors get no events. */
export function useLiveEvent<Name extends keyof ServerEvents>(name: Name, handle: ServerEvents[Name]): void {
	const latest = useRef(handle)
	useEffect(() => {
		latest.current = handle
	})
	useEffect(
		() =>
			withLive((socket) => {
				const listen = ((...event: Parameters<ServerEvents[Name]>) =>
					// TypeScript cannot see that the types of an event and of its handler match.
					(latest.current as (...event: unknown[]) => void)(...event)) as never
				socket.on(name, listen)
				return () => socket.off(name, listen)
			}),
		[name],
	)
}

/**
 * The newer of a number that the page was loaded with and its live updates. An update during a load is newer than what the load
 * returns.
 * @param loaded the number of the last load
 * @param loadId identifies that load
 * @returns the number, and a function to call with an update
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
