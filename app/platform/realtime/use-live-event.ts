import { useEffect, useRef } from 'react'
import type { ServerEvents } from './events.ts'
import { withLive } from './live.ts'

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
