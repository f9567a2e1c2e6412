import type { ReactNode } from 'react'
import { useLocation } from 'react-router'
import { useSlowNavigation } from '~/lib/use-slow-navigation.ts'
import { Skeleton } from '~/ui/list-states.tsx'
import { isListPath } from '../lists.view.ts'

/** Varying widths, so that the skeleton looks like text. */
const shapes = [
	['w-24', 'w-4/5', 'w-2/3'],
	['w-16', 'w-3/5', 'w-3/4'],
	['w-28', 'w-2/3', 'w-1/2'],
	['w-20', 'w-4/5', 'w-3/5'],
	['w-24', 'w-1/2', 'w-2/3'],
] as const

const rows = Array.from({ length: 10 }, (_, index) => ({ index, shape: shapes[index % shapes.length] ?? shapes[0] }))

/** Ten rows of the same size as real ones. */
export function QuestionRowsSkeleton() {
	return (
		<ul aria-label="Loading queries" aria-busy="true">
			{rows.map(({ index, shape: [category, title, text] }) => (
				<li
					key={index}
					className="grid grid-cols-1 gap-x-4 border-b border-line py-4 sm:grid-cols-[minmax(0,1fr)_3.5rem_5rem]"
				>
					<div className="grid">
						<Skeleton className={`my-0.5 h-3 ${category}`} />
						<Skeleton className={`mt-1.5 mb-0.5 h-5 ${title}`} />
						<Skeleton className="mt-[0.4375rem] mb-[0.1875rem] h-3.5 w-full" />
						<Skeleton className={`my-[0.1875rem] h-3.5 ${text}`} />
						<Skeleton className="mt-[0.8125rem] mb-[0.1875rem] h-3.5 w-56 max-w-full" />
					</div>
					<Skeleton className="ml-auto h-5 w-6 max-sm:hidden" />
					<Skeleton className="ml-auto h-5 w-6 max-sm:hidden" />
				</li>
			))}
		</ul>
	)
}

/** The forum while its first list is loading: 25 categories, ten rows, 15 tags. */
export function ForumSkeleton() {
	return (
		<div className="grid gap-x-12 pt-6 md:grid-cols-[11rem_minmax(0,1fr)] md:pt-8 xl:grid-cols-[11rem_minmax(0,1fr)_13rem]">
			<div className="max-md:hidden">
				<div className="rule-head">
					<span>Categories</span>
				</div>
				<Chips count={25} className="my-[0.5625rem] h-3.5 w-32" />
			</div>
			<div className="min-w-0">
				<Skeleton className="h-9 w-56" />
				<Skeleton className="mt-4 h-9 w-full" />
				<div className="mt-5 h-9 border-b border-rule" />
				<QuestionRowsSkeleton />
			</div>
			<div className="hidden xl:block">
				<div className="rule-head">
					<span>Tags</span>
				</div>
				<Chips count={15} className="my-[0.4375rem] h-3.5 w-full" />
			</div>
		</div>
	)
}

function Chips({ count, className }: { count: number; className: string }) {
	return (
		<div aria-hidden="true">
			{Array.from({ length: count }, (_, index) => index).map((index) => (
				<Skeleton key={index} className={className} />
			))}
		</div>
	)
}

/**
 * Shows the forum's skeleton when navigating to the forum takes long. Between two lists the frame stays, and the list shows a loading state
 * of its own.
 */
export function PendingForum({ children }: { children: ReactNode }) {
	const { pathname } = useLocation()
	const awaited = useSlowNavigation(isListPath)
	const entering = awaited !== null && !isListPath(pathname) && pathname !== '/forum/tags'
	return (
		<>
			{entering && <ForumSkeleton />}
			<div hidden={entering}>{children}</div>
		</>
	)
}
