import { createContext, use, useSyncExternalStore } from 'react'
import { referenceTime, relativeTime } from '~/lib/dates.ts'
import { useRootData } from '~/lib/root-data.ts'

/** The moment that relative times refer to in a part that the server renders on its own, see `memo-markup.tsx`; null within a page. */
export const NowContext = createContext<number | null>(null)

/** A relative time of `at` (ISO 8601), updated every minute. */
export function RelativeTime({ at }: { at: string }) {
	const now = use(NowContext)
	return now === null ? <RenewedTime at={at} /> : <time dateTime={at}>{relativeTime(at, now)}</time>
}

function RenewedTime({ at }: { at: string }) {
	return <time dateTime={at}>{relativeTime(at, useNow())}</time>
}

/** The moment that a page's relative times refer to, in milliseconds since the epoch; updated every minute. */
export function useNow(): number {
	const { now } = useRootData()
	const served = Date.parse(now)
	return useSyncExternalStore(
		everyMinute,
		() => referenceTime(served, Date.now()),
		() => served,
	)
}

function everyMinute(tell: () => void): () => void {
	const timer = setInterval(tell, 60_000)
	return () => clearInterval(timer)
}
