import { useSyncExternalStore } from 'react'
import { localTime, siteTime } from '~/lib/calendar.ts'
import { never } from '~/lib/use-hydrated.ts'

/** `at` (ISO 8601) in full, in the reader's zone as soon as the browser has taken over, before that in that of the site. */
export function LocalTime({ at }: { at: string }) {
	const text = useSyncExternalStore(
		never,
		() => localTime(at),
		() => siteTime(at),
	)
	return <time dateTime={at}>{text}</time>
}
