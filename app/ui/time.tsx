import { useSyncExternalStore } from 'react'
import { localTime, relativeTime, utcTime } from '~/lib/dates.ts'
import { useRootData } from '~/lib/root-data.ts'

/** How long ago `at` (ISO 8601) was, in words that are renewed every minute. */
export function RelativeTime({ at }: { at: string }) {
	return <time dateTime={at}>{relativeTime(at, useNow())}</time>
}

/** `at` (ISO 8601) in full, in the reader's zone as soon as the browser has taken over, before that in UTC. */
export function LocalTime({ at }: { at: string }) {
	const text = useSyncExternalStore(
		never,
		() => localTime(at),
		() => utcTime(at),
	)
	return <time dateTime={at}>{text}</time>
}

/** Milliseconds of the epoch, in whole minutes; the server's moment while the page is taken over. */
export function useNow(): number {
	const { now } = useRootData()
	return useSyncExternalStore(
		everyMinute,
		() => Math.max(minutes(), Date.parse(now)),
		() => Date.parse(now),
	)
}

const minutes = () => Math.floor(Date.now() / 60_000) * 60_000

const never = () => () => {}

function everyMinute(tell: () => void): () => void {
	const timer = setInterval(tell, 60_000)
	return () => clearInterval(timer)
}
