import { useEffect } from 'react'
import { openLive } from './live.ts'

/**
 * Keeps the socket open while this tab shows pages to a member, so that they count as online and hear what happens.
 * @param me username; undefined for a visitor
 */
export function useConnection(me: string | undefined): void {
	useEffect(() => (me ? openLive(me) : undefined), [me])
}
