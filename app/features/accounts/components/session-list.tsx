import { Form } from 'react-router'
import { RelativeTime } from '~/ui/time.tsx'
import type { SessionView } from '../accounts.server.ts'

/** Where a member is logged in; each but this one can be ended. */
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
							{session.address && `${session.address}, `}last used <RelativeTime at={session.seenAt} />
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
