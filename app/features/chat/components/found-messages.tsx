import { Link } from 'react-router'
import { useHydrated } from '~/lib/use-hydrated.ts'
import { Avatar } from '~/ui/avatar.tsx'
import { useNow } from '~/ui/time.tsx'
import type { MessageHit } from '../protocol.ts'
import { shortAge } from './times.ts'

/** Own messages that hold what was searched for, each leading to its conversation. */
export function FoundMessages({ hits, q }: { hits: MessageHit[]; q: string }) {
	const now = useNow()
	const zone = useHydrated() ? 'local' : 'utc'
	return (
		<>
			<p className="flex items-center justify-between gap-3 border-b border-line px-4 py-2 text-sm">
				<span className="truncate text-ink-2" role="status">
					{hits.length === 0 ? `Nothing found for “${q}”` : `Messages with “${q}”`}
				</span>
				<Link className="link flex-none" to="/messages">
					Clear
				</Link>
			</p>
			<ul aria-label="Found messages">
				{hits.map(({ id, peer, sender, sentAt, passage }) => (
					<li key={id} className="border-b border-line">
						<Link className="flex items-start gap-3 px-4 py-2.5 hover:bg-hover" to={`/messages/${peer.username}`}>
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
		</>
	)
}

function Passage({ pieces }: { pieces: MessageHit['passage'] }) {
	return pieces.map(({ text, hit }, index) => (
		// biome-ignore lint/suspicious/noArrayIndexKey: the pieces of one passage never move
		<span key={index} className={hit ? 'bg-marigold-wash text-ink' : undefined}>
			{text}
		</span>
	))
}
