import { RelativeTime } from './time.tsx'

/** The words that go with a presence dot, for readers who do not see it. */
export function PresenceWords({ online }: { online: boolean }) {
	return <span className="sr-only">{online ? ', online' : ', offline'}</span>
}

/** A presence dot with its word beside it, and for somebody who left when that was. */
export function Presence({ online, lastSeenAt = null }: { online: boolean; lastSeenAt?: string | null }) {
	return (
		<span className="flex flex-wrap items-center justify-end gap-x-1.5 text-xs text-ink-2">
			<span className="presence" data-online={online || undefined} aria-hidden="true" />
			{online ? 'Online' : 'Offline'}
			{!online && lastSeenAt && (
				<span className="basis-full text-right text-ink-3">
					Last seen <RelativeTime at={lastSeenAt} />
				</span>
			)}
		</span>
	)
}
