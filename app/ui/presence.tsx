/** The words that go with a presence dot, for readers who do not see it. */
export function PresenceWords({ online }: { online: boolean }) {
	return <span className="sr-only">{online ? ', online' : ', offline'}</span>
}

/** A presence dot with its word beside it. */
export function Presence({ online }: { online: boolean }) {
	return (
		<span className="flex items-center gap-1.5 text-xs text-ink-2">
			<span className="presence" data-online={online || undefined} aria-hidden="true" />
			{online ? 'Online' : 'Offline'}
		</span>
	)
}
