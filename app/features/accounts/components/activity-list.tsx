import { LocalTime, RelativeTime } from '~/ui/time.tsx'
import type { SecurityEventView } from '../security-log.present.ts'

/** What happened to an account: what, from which device, when. @param exact whether the time stands in full */
export function ActivityList({ events, exact = false }: { events: SecurityEventView[]; exact?: boolean }) {
	if (events.length === 0) return <p className="py-3 text-ink-3">No activity yet.</p>
	return (
		<ul>
			{events.map(({ id, text, device, at }) => (
				<li key={id} className="border-b border-line py-2.5">
					<p>{text}</p>
					<p className="meta">
						{device && `${device}, `}
						{exact ? <LocalTime at={at} /> : <RelativeTime at={at} />}
					</p>
				</li>
			))}
		</ul>
	)
}
