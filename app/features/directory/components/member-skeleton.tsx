import { Skeleton, SkeletonList } from '~/ui/skeleton.tsx'

/** The two columns that cards of members stand in, with their hairlines. */
export const memberGrid = 'grid grid-cols-1 lg:grid-cols-2'
export const memberCell = 'flex min-w-0 flex-col border-b border-line py-5 lg:odd:pr-7 lg:even:border-l lg:even:pl-7'

/** Six cards that are still loading, with the measures of real ones. */
export function MembersSkeleton() {
	return (
		<SkeletonList label="Loading developers" count={6} className={memberGrid} rowClassName={memberCell}>
			<div className="flex gap-3.5">
				<Skeleton className="size-12 rounded-sm" />
				<div className="flex-1">
					<Skeleton className="mt-1 h-4 w-40" />
					<Skeleton className="mt-2.5 h-3 w-48" />
					<Skeleton className="mt-2 h-3 w-56 max-w-full" />
				</div>
			</div>
			<Skeleton className="mt-5 h-3 w-full" />
			<Skeleton className="mt-2.5 h-3 w-11/12" />
			<Skeleton className="mt-2.5 h-3 w-3/5" />
			<div className="mt-5 flex gap-1.5">
				<Skeleton className="h-6 w-20" />
				<Skeleton className="h-6 w-16" />
				<Skeleton className="h-6 w-24" />
			</div>
			<Skeleton className="mt-5 h-8 w-28 rounded-sm" />
		</SkeletonList>
	)
}
