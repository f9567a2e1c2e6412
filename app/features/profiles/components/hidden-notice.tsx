import type { ReactNode } from 'react'
import type { ProfileView } from '../profiles.view.ts'

/** Says that a moderator hid a profile. Its owner and moderators, who still see it, also get the reason. */
export function HiddenNotice({ hidden }: { hidden: ProfileView['hidden'] }) {
	if (!hidden) return null
	return (
		<Notice>
			{hidden.whole
				? 'A moderator hid this profile’s texts and picture. Only its owner and the moderators see them.'
				: 'A moderator hid this profile’s texts.'}
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
