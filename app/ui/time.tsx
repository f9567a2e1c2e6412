import { createContext, use, useSyncExternalStore } from 'react'
import { momentShown, relativeTime } from '~/lib/dates.ts'
import { useRootData } from '~/lib/root-data.ts'

/** The moment that the times of a part count from which the server renders by itself, see `memo-markup.tsx`; null within a page. */
export const NowContext = createContext<number | null>(null)

/** How long ago `at` (ISO 8601) was, in words that are renewed every minute. */
export function RelativeTime({ at }: { at: string }) {
	const now = use(NowContext)
	return now === null ? <RenewedTime at={at} /> : <time dateTime={at}>{relativeTime(at, now)}</time>
}

function RenewedTime({ at }: { at: string }) {
	return <time dateTime={at}>{relativeTime(at, useNow())}</time>
}

/** The moment that a page's relative times count from, in milliseconds of the epoch; it moves on every minute. */
export function useNow(): number {
	const { now } = useRootData()
	const served = Date.parse(now)
	return useSyncExternalStore(
		everyMinute,
		() => momentShown(served, Date.now()),
		() => served,
	)
}

function everyMinute(tell: () => void): () => void {
	const timer = setInterval(tell, 60_000)
	return () => clearInterval(timer)
}
