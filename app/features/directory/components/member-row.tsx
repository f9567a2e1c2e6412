import { Link } from 'react-router'
import { openToText } from '~/features/profiles/profiles.view.ts'
import { usePresence } from '~/platform/realtime/use-presence.ts'
import { Avatar } from '~/ui/avatar.tsx'
import { PresenceWords } from '~/ui/presence.tsx'
import type { MemberView } from '../directory.view.ts'

/** A member in one line: name, first skills, and what they are open to. */
export function MemberRow({ member }: { member: MemberView }) {
	const openTo = openToText(member.openTo.slice(0, 1))
	const online = usePresence([member])(member.username)
	return (
		<Link
			className="-mx-2 flex items-center gap-3 rounded-sm px-2 py-1.5 hover:bg-hover"
			to={`/find-dev/${member.username}`}
		>
			<Avatar user={member} size={40} online={online || undefined} />
			<span className="min-w-0 flex-1">
				<span className="block truncate font-semibold">
					<bdi>{member.name}</bdi>
					<PresenceWords online={online} />
				</span>
				<span className="meta block truncate">{member.skills.slice(0, 2).join(', ') || member.studies.branch}</span>
			</span>
			{openTo && <span className="meta">{openTo}</span>}
		</Link>
	)
}
