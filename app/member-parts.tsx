import { FollowRenames } from '~/features/identity/components/follow-renames.tsx'
import ChatDock from '~/features/inbox/components/chat-dock.tsx'
import { useRootData } from '~/lib/root-data.ts'
import { BrowserSetup } from '~/offline/member-browser.tsx'
import UnsentForms from '~/shell/unsent-forms.tsx'

/**
 * What every page has for a member besides its frame.
 * @param props.member username of the logged-in member, or was until the session ended while the page was open
 */
export default function MemberParts({ member }: { member: string }) {
	const { viewer } = useRootData()
	return (
		<>
			{viewer && (
				<>
					<FollowRenames />
					<ChatDock />
					<BrowserSetup username={viewer.username} />
				</>
			)}
			<UnsentForms key={member} member={member} />
		</>
	)
}
