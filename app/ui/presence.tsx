import { RelativeTime } from './time.tsx'

/** The text of a presence dot, for screen readers. */
export function PresenceText({ online }: { online: boolean }) {
	return <span className="sr-only">{online ? ', online' : ', offline'}</span>
}

/** A presence dot with its text, and when a member who is offline was last seen. */
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
