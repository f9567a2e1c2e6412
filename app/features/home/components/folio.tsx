import { useSyncExternalStore } from 'react'
import { dayAndMonth } from '~/lib/dates.ts'
import { counted, grouped } from '~/lib/text.ts'
import { useNow } from '~/ui/time.tsx'

interface FolioProps {
	members: number
	askedToday: number
	online: number
}

/** The line under the header: the date and today in numbers. */
export function Folio({ members, askedToday, online }: FolioProps) {
	const now = useNow()
	// The reader's date is known to the browser only; until it has taken over, the date is that of UTC.
	const zone = useSyncExternalStore<'local' | 'utc'>(
		never,
		() => 'local',
		() => 'utc',
	)
	return (
		<p className="flex h-10 items-center gap-6 overflow-hidden text-xs whitespace-nowrap text-ink-2">
			<span className="font-semibold text-ink">{dayAndMonth(now, zone)}</span>
			<span className="hidden sm:inline">{counted(members, 'developer')}</span>
			<span className="hidden sm:inline">{counted(askedToday, 'question')} today</span>
			<span className="ml-auto flex items-center gap-2">
				{online > 0 && <span className="presence" data-online aria-hidden="true" />}
				{grouped(online)} online now
			</span>
		</p>
	)
}

const never = () => () => {}
