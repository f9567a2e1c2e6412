import type { ReactNode } from 'react'
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

/** The status of the viewer's own profile, above its forms. @param suspended the sentence of a suspension, or null */
export function StatusNotices({ hidden, suspended }: { hidden: { reason: string } | null; suspended: string | null }) {
	return (
		<>
			{suspended && <Notice>{suspended}</Notice>}
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
