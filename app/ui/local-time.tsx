import { useSyncExternalStore } from 'react'
import { localTime, siteTime } from '~/lib/calendar.ts'
import { noSubscription } from '~/lib/use-hydrated.ts'

/** `at` (ISO 8601) in full: in the reader's zone after hydration, before that in the site's. */
export function LocalTime({ at }: { at: string }) {
	const text = useSyncExternalStore(
		noSubscription,
		() => localTime(at),
		() => siteTime(at),
	)
	return <time dateTime={at}>{text}</time>
}
