import { Link } from 'react-router'
import { answering } from '~/lib/http.ts'
import { pageMeta } from '~/lib/page-meta.ts'
import { useRootData } from '~/lib/root-data.ts'
import { counted } from '~/lib/text.ts'
import { EmptyState } from '~/ui/empty-state.tsx'
import { LoadMore } from '~/ui/load-more.tsx'
import { Pending, soon } from '~/ui/pending.tsx'
import { MemberCard } from '../components/member-card.tsx'
import { MembersSkeleton, memberCell, memberGrid } from '../components/member-skeleton.tsx'
import { countMembers, listMembers } from '../directory.server.ts'
import type { Route } from './+types/community'

export function loader({ url }: Route.LoaderArgs) {
	return answering(async () => {
		const cursor = url.searchParams.get('cursor')
		const [members, count] = await Promise.all([listMembers({ cursor }), countMembers()])
		return { ...members, count }
	})
}

export const clientLoader = ({ serverLoader }: Route.ClientLoaderArgs) => soon(serverLoader())

export function meta({ matches, location }: Route.MetaArgs) {
	return pageMeta(matches, {
		title: 'Community',
		description: 'Students who build things: who they are, what they know and what they are open to.',
		canonical: '/find-dev',
		noindex: location.search.includes('cursor='),
	})
}

export default function Community({ loaderData }: Route.ComponentProps) {
	return (
		<div className="pt-6 md:pt-8">
			<Pending data={loaderData} skeleton={<Members head={null} list={<MembersSkeleton />} />}>
				{({ rows, next, count }) => (
					<Members
						head={counted(count, 'member')}
						list={
							rows.length === 0 ? (
								<NobodyHere />
							) : (
								<>
									<ul className={memberGrid}>
										{rows.map((member) => (
											<li key={member.username} className={memberCell}>
												<MemberCard member={member} />
											</li>
										))}
									</ul>
									<LoadMore next={next}>Load more developers</LoadMore>
								</>
							)
						}
					/>
				)}
			</Pending>
		</div>
	)
}

function Members({ head, list }: { head: React.ReactNode; list: React.ReactNode }) {
	return (
		<>
			<div className="border-b border-rule pb-3">
				<h1 className="text-2xl font-bold">
					Developers <span className="ml-1.5 text-base font-normal tracking-normal text-ink-3">{head}</span>
				</h1>
			</div>
			{list}
		</>
	)
}

function NobodyHere() {
	const { viewer } = useRootData()
	return (
		<EmptyState
			title="No data found!"
			action={
				viewer ? null : (
					<Link className="btn btn-outline" to="/register">
						Register
					</Link>
				)
			}
		>
			Nobody has registered here yet.
		</EmptyState>
	)
}
