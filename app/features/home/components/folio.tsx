import { useSyncExternalStore } from 'react'
import { counted, grouped } from '~/lib/text.ts'
import { useNow } from '~/ui/time.tsx'

interface FolioProps {
	members: number
	askedToday: number
	online: number
}

/** The line under the header: the date and today in numbers. */
export function Folio({ members, askedToday, online }: FolioProps) {
	const now = new Date(useNow())
	// The reader's date is known to the browser only; until it has taken over, the date is that of UTC.
	const zone = useSyncExternalStore(
		never,
		() => undefined,
		() => 'UTC',
	)
	const date = now.toLocaleDateString('en-GB', { weekday: 'long', day: 'numeric', month: 'long', timeZone: zone })
	return (
		<p className="flex h-10 items-center gap-6 overflow-hidden text-xs whitespace-nowrap text-ink-2">
			<time className="font-semibold text-ink" dateTime={now.toISOString().slice(0, 10)}>
				{date}
			</time>
			<span className="hidden sm:inline">{counted(members, 'developer')}</span>
			<span className="hidden sm:inline">{counted(askedToday, 'question')} today</span>
			<span className="ml-auto flex items-center gap-2">
				<span className="presence" data-online={online > 0 || undefined} aria-hidden="true" />
				{grouped(online)} online now
			</span>
		</p>
	)
}

const never = () => () => {}
