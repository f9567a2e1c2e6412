import { useSearchParams } from 'react-router'
import { SaveSearch } from '~/features/following/components/saved-searches.tsx'
import { countUse } from '~/features/rate-limits/rate-limits.server.ts'
import { factsOf, viewerOf } from '~/lib/context.ts'
import type { PageHandle } from '~/lib/page-handle.ts'
import { pageMeta } from '~/lib/page-meta.ts'
import { useSlowNavigation } from '~/lib/use-slow-navigation.ts'
import { withHttpErrors } from '~/platform/http/http.ts'
import { deferIfSlow, Pending } from '~/ui/pending.tsx'
import { Filters } from '../components/filters.tsx'
import { ListHead } from '../components/list-head.tsx'
import { MemberList, MembersSkeleton } from '../components/member-list.tsx'
import { NobodyFound } from '../components/nobody-found.tsx'
import { SearchNotes } from '../components/search-notes.tsx'
import { type Criteria, communityPath, criteriaOf } from '../directory.paths.ts'
import { listCommunity } from '../directory.server.ts'
import type { CommunityData } from '../directory.view.ts'
import type { Route } from './+types/community'

export const handle: PageHandle = { revisit: true }

const path = '/find-dev'

export function loader({ url, context }: Route.LoaderArgs) {
	return withHttpErrors(async () => {
		// The first page is open to everybody; searching and reading on is limited, as it could be used to read all of it.
		const criteria = criteriaOf(url.searchParams)
		const cursor = url.searchParams.get('cursor')
		const viewer = viewerOf(context)
		if (communityPath(criteria) !== path || cursor !== null) await countUse('peopleSearch', viewer, factsOf(context).ip)
		return listCommunity(criteria, cursor, viewer)
	})
}

/** From another page, it opens with a skeleton; within the page, the old list stays beside the filters until the new one has loaded. */
export const clientLoader = ({ serverLoader }: Route.ClientLoaderArgs) =>
	window.location.pathname === path ? serverLoader() : deferIfSlow(serverLoader())

export function meta({ matches, location }: Route.MetaArgs) {
	return pageMeta(matches, {
		title: 'Community',
		description: 'Students who build things: who they are, what they know and what they are open to.',
		canonical: path,
		noindex: location.search !== '',
	})
}

export default function Community({ loaderData }: Route.ComponentProps) {
	const [params] = useSearchParams()
	const criteria = criteriaOf(params)
	return (
		<div className="grid gap-x-12 pt-6 md:pt-8 lg:grid-cols-[13rem_minmax(0,1fr)]">
			<Pending data={loaderData} skeleton={<CommunityPage criteria={criteria} data={null} />}>
				{(data) => <CommunityPage criteria={criteria} data={data} />}
			</Pending>
		</div>
	)
}

/** The filters and the list. @param data null while it is loading */
function CommunityPage({ criteria, data }: { criteria: Criteria; data: CommunityData | null }) {
	const awaited = useSlowNavigation((pathname) => pathname === path)
	const isWaiting = data === null || awaited !== null
	// The filters also show those that were typed.
	const shown = data?.criteria ?? criteria
	return (
		<>
			<Filters criteria={shown} filters={data?.filters ?? null} count={data?.count ?? null} />
			<div className="min-w-0">
				<ListHead criteria={shown} count={data?.count ?? null} isLoose={data?.isLoose ?? false} />
				{data?.saveable && !isWaiting && <SaveSearch search={data.saveable} />}
				{data && !isWaiting && <SearchNotes data={data} />}
				{isWaiting && <MembersSkeleton />}
				{data && (
					<div hidden={isWaiting}>
						{data.page.rows.length > 0 ? (
							<MemberList criteria={criteria} data={data} />
						) : (
							<NobodyFound criteria={shown} cursor={data.cursor} loosen={data.loosen} />
						)}
					</div>
				)}
			</div>
		</>
	)
}
