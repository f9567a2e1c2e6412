import { Link, useSearchParams } from 'react-router'
import { useHydrated } from '~/lib/use-hydrated.ts'
import { Avatar } from '~/ui/avatar.tsx'
import { useNow } from '~/ui/time.tsx'
import type { FoundMessages as Found, MessageHit } from '../../protocol.ts'
import { shortAge } from '../thread/times.ts'

interface FoundMessagesProps {
	found: Found
	/** What was searched for. */
	q: string
	/** Username of the peer whose conversation is shown beside. */
	current: string | undefined
}

/** Own messages that hold what was searched for, each leading to its place in its conversation. */
export function FoundMessages({ found: { hits, next, nearly }, q, current }: FoundMessagesProps) {
	const now = useNow()
	const zone = useHydrated() ? 'local' : 'utc'
	const [params] = useSearchParams()
	const search = new URLSearchParams({ q })
	const place = (id: number) => `${search}&message=${id}#message-${id}`
	return (
		<>
			<p className="flex items-center justify-between gap-3 border-b border-line px-4 py-2 text-sm">
				<span className="min-w-0 text-ink-2 wrap-anywhere" role="status">
					{resultOf(hits.length, nearly, q)}
				</span>
				<Link className="link flex-none" to={current ? `/messages/${current}` : '/messages'}>
					Clear
				</Link>
			</p>
			<ul aria-label="Found messages">
				{hits.map(({ id, peer, sender, sentAt, passage }) => (
					<li key={id} className="border-b border-line">
						<Link
							className="flex items-start gap-3 px-4 py-2.5 hover:bg-hover aria-[current]:bg-ivy-wash"
							to={`/messages/${peer.username}?${place(id)}`}
							aria-current={peer.username === current && params.get('message') === String(id) ? 'true' : undefined}
							preventScrollReset
						>
							<Avatar user={{ ...peer, image: peer.picture }} size={40} />
							<span className="min-w-0 flex-1">
								<span className="flex items-baseline justify-between gap-2">
									<span className="truncate font-semibold">{peer.name}</span>
									<span className="meta flex-none">{shortAge(sentAt, now, zone)}</span>
								</span>
								<span className="line-clamp-2 text-sm wrap-anywhere text-ink-2">
									{sender !== peer.username && 'You: '}
									<Passage pieces={passage} />
								</span>
							</span>
						</Link>
					</li>
				))}
			</ul>
			{next !== null && (
				<p className="px-4 py-3">
					<Link className="btn btn-sm btn-outline" to={`/messages?${search}&before=${next}`} rel="next">
						Older messages
					</Link>
				</p>
			)}
		</>
	)
}

function resultOf(count: number, nearly: boolean, q: string): string {
	if (count === 0) return `Nothing found for “${q}”`
	return nearly ? `No messages with “${q}”. Similar ones:` : `Messages with “${q}”`
}

function Passage({ pieces }: { pieces: MessageHit['passage'] }) {
	return pieces.map(({ text, hit }, index) =>
		hit ? (
			// biome-ignore lint/suspicious/noArrayIndexKey: the pieces of one passage never move
			<mark key={index} className="bg-marigold-wash text-ink">
				{text}
			</mark>
		) : (
			text
		),
	)
}
