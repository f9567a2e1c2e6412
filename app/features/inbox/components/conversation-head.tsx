import type { ReactNode } from 'react'
import type { Peer } from '~/features/conversations/conversations.view.ts'
import { usePresence } from '~/platform/realtime/use-presence.ts'
import { Avatar } from '~/ui/avatar.tsx'
import { Link } from '~/ui/link.tsx'
import { RelativeTime } from '~/ui/time.tsx'

interface ConversationHeadProps {
	peer: Peer
	/** Content before the picture. */
	before?: ReactNode
	/** Content at the end. */
	children: ReactNode
	size: 'panel' | 'page'
}

/** The peer: picture, name and presence. */
export function ConversationHead({ peer, before, children, size }: ConversationHeadProps) {
	const { username, name, picture } = peer
	const online = usePresence([peer])(username)
	const wide = size === 'page'
	return (
		<header
			className={`flex flex-none items-center border-b border-line ${wide ? 'h-16 gap-3 px-4 md:pr-0 md:pl-6' : 'h-12 gap-2.5 pr-1.5 pl-3'}`}
		>
			{before}
			<Avatar user={{ username, name, image: picture }} size={wide ? 40 : 32} online={online} />
			<div className="min-w-0 flex-1">
				<h2 className={`flex font-semibold ${wide ? 'text-md leading-5' : 'leading-4'}`}>
					<Link className="quiet-link truncate" to={`/find-dev/${username}`}>
						{name}
					</Link>
				</h2>
				<p className="meta truncate">
					{online ? <span className={wide ? 'text-ivy' : undefined}>online</span> : <Offline at={peer.lastSeenAt} />}
				</p>
			</div>
			{children}
		</header>
	)
}

function Offline({ at }: { at: string | null }) {
	if (!at) return 'offline'
	return (
		<>
			offline · last seen <RelativeTime at={at} />
		</>
	)
}
