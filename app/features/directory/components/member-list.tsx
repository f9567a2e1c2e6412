import { Link, useLocation } from 'react-router'
import { FirstSteps } from '~/features/profiles/components/first-steps.tsx'
import { useRootData } from '~/lib/root-data.ts'
import { usePresence } from '~/platform/realtime/use-presence.ts'
import { MoreLink } from '~/ui/more-link.tsx'
import { useMore, withoutDoubles } from '~/ui/use-more.ts'
import { anybody, communityPath, type Wish } from '../directory.paths.ts'
import type { CommunityData } from './community-data.ts'
import { MemberCard } from './member-card.tsx'
import { memberCell, memberGrid } from './member-skeleton.tsx'
import { NewcomersBar } from './newcomers-bar.tsx'
import { useNewcomers } from './use-newcomers.ts'

/** The members of a list, with the pages that were loaded after the first; they are there again when one comes back. */
export function MemberList({ wish, data }: { wish: Wish; data: CommunityData }) {
	const { key } = useLocation()
	return <Rows key={key} wish={wish} data={data} />
}

function Rows({ wish, data: { page, cursor, firstSteps } }: { wish: Wish; data: CommunityData }) {
	const { rows, nextHref, loading, load } = useMore(page, (next) => communityPath(wish, next))
	const members = withoutDoubles(rows, ({ username }) => username)
	const isOnline = usePresence(members)
	const me = useRootData().viewer?.username
	const newcomers = useNewcomers(
		communityPath(wish) === communityPath(anybody) && cursor === null ? (page.rows[0]?.username ?? '') : null,
		rows.length > page.rows.length,
	)
	return (
		<>
			<NewcomersBar count={newcomers.waiting} show={newcomers.show} />
			{me && firstSteps && <FirstSteps className="mt-5 mb-2" username={me} steps={firstSteps} />}
			<ul className={memberGrid}>
				{members.map((member) => (
					<li key={member.username} className={memberCell}>
						<MemberCard
							member={member}
							online={isOnline(member.username)}
							isNew={firstSteps !== null && member.username === me}
						/>
					</li>
				))}
			</ul>
			{(nextHref || cursor !== null) && (
				<nav className="flex flex-wrap items-center justify-center gap-3 py-5" aria-label="Pages">
					{cursor !== null && (
						<Link className="btn btn-sm btn-ghost" to={communityPath(wish)}>
							Back to the first page
						</Link>
					)}
					{nextHref && (
						<MoreLink href={nextHref} loading={loading} load={load}>
							Load more developers
						</MoreLink>
					)}
				</nav>
			)}
		</>
	)
}
