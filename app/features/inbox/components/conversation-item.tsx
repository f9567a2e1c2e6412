import { BellOff } from 'lucide'
import { shortAge } from '~/features/chat/components/thread/times.ts'
import { useHydrated } from '~/lib/use-hydrated.ts'
import { Avatar } from '~/ui/avatar.tsx'
import { Icon } from '~/ui/icon.tsx'
import { Link } from '~/ui/link.tsx'
import { PresenceText } from '~/ui/presence.tsx'
import { useNow } from '~/ui/time.tsx'
import type { ConversationSummary } from '../inbox.view.ts'

interface ConversationRowProps {
	conversation: ConversationSummary
	online: boolean
	typing: boolean
	current?: boolean
	className: string
}

/** A conversation in a list: the peer, the last message, and the unread count. */
export function ConversationItem({ conversation, online, typing, current, className }: ConversationRowProps) {
	const { peer, last, unread, muted } = conversation
	const now = useNow()
	const zone = useHydrated() ? 'local' : 'site'
	return (
		<Link className={className} to={`/messages/${peer.username}`} aria-current={current ? 'true' : undefined}>
			<Avatar user={{ ...peer, image: peer.picture }} size={40} online={online} />
			<span className="min-w-0 flex-1">
				<span className="flex items-baseline justify-between gap-2">
					<span className="truncate font-semibold">
						<bdi>{peer.name}</bdi>
						<PresenceText online={online} />
					</span>
					{last && <span className="meta flex-none">{shortAge(last.sentAt, now, zone)}</span>}
				</span>
				<span className="flex items-center justify-between gap-2">
					{typing ? (
						<span className="truncate text-sm text-ivy">
							<bdi>{peer.name.split(' ')[0]}</bdi> is typing…
						</span>
					) : (
						<span className={`truncate text-sm ${unread > 0 ? 'text-ink' : 'text-ink-3'}`}>
							{excerptOf(conversation)}
						</span>
					)}
					{muted && <Icon of={BellOff} className="icon-sm text-ink-3" role="img" aria-label="Muted" />}
					{unread > 0 && (
						<span className="badge">
							{unread > 99 ? '99+' : unread}
							<span className="sr-only"> unread</span>
						</span>
					)}
				</span>
			</span>
		</Link>
	)
}

function excerptOf({ last, peer }: ConversationSummary): string {
	if (!last) return ''
	const text = last.deleted ? 'A deleted message' : last.excerpt
	return last.sender === peer.username ? text : `You: ${text}`
}
