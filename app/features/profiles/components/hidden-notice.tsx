import type { ReactNode } from 'react'
import { WritingNotice } from '~/ui/writing-notice.tsx'
import type { ProfileView } from '../profiles.view.ts'

/**
 * Says that a profile is hidden: by a moderator, or because its member is leaving, which others do not learn. Its owner and moderators, who
 * still see it, also get the reason.
 */
export function HiddenNotice({ hidden }: { hidden: ProfileView['hidden'] }) {
	if (!hidden) return null
	return (
		<Notice>
			{hidden.whole
				? 'This profile’s texts and picture are hidden. Only its owner and the moderators see them.'
				: 'This profile’s texts are hidden.'}
			{hidden.reason && <span className="mt-1 block text-ink">Reason: {hidden.reason}</span>}
		</Notice>
	)
}

/** The status of the viewer's own profile, above its forms: why they may not save it, and that a moderator hid it. */
export function StatusNotices({ hidden }: { hidden: { reason: string } | null }) {
	return (
		<>
			<WritingNotice className="mb-6 max-w-read" />
			{hidden && (
				<Notice>
					A moderator hid your profile’s texts and picture: others only see your name and username. You can edit
					everything here. Only a moderator can show it again.
					{hidden.reason && <span className="mt-1 block text-ink">Reason: {hidden.reason}</span>}
				</Notice>
			)}
		</>
	)
}

function Notice({ children }: { children: ReactNode }) {
	return (
		<p className="mb-6 max-w-read rounded-sm border border-line-2 bg-sunken px-4 py-3 text-sm wrap-anywhere text-ink-2">
			{children}
		</p>
	)
}
