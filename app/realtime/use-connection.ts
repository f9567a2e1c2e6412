import { useEffect } from 'react'
import { openLive } from './live.ts'

/** Keeps the socket open while this tab shows pages to a member, so that they count as online and hear what happens. */
export function useConnection(signedIn: boolean): void {
	useEffect(() => (signedIn ? openLive() : undefined), [signedIn])
}
