import type { SecurityEventView, SessionView } from '~/features/sessions/sessions.view.ts'
import { Form } from '~/ui/link.tsx'
import { LocalTime } from '~/ui/local-time.tsx'
import { RelativeTime } from '~/ui/time.tsx'

/** A member's sessions, each except the present one with a button to end it. */
export function SessionList({ sessions }: { sessions: SessionView[] }) {
	return (
		<ul>
			{sessions.map((session) => (
				<li key={session.id} className="flex items-center justify-between gap-4 border-b border-line py-3">
					<div className="min-w-0">
						<p className="font-semibold">
							{session.device}
							{session.current && <span className="ml-2 text-xs font-normal text-ivy">this device</span>}
						</p>
						<p className="meta">
							{session.address && `${session.address}, `}
							{/* The time of the last use is stored once a day. */}
							{session.current ? (
								'in use now'
							) : (
								<>
									last used <RelativeTime at={session.seenAt} />
								</>
							)}
						</p>
					</div>
					{!session.current && (
						<Form method="post">
							<input type="hidden" name="session" value={session.id} />
							<button
								className="btn btn-sm btn-outline"
								name="intent"
								value="revoke"
								type="submit"
								aria-label={`Log out ${session.device}`}
							>
								Log out
							</button>
						</Form>
					)}
				</li>
			))}
		</ul>
	)
}

/** Security events of an account. @param exact whether to show full timestamps */
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
