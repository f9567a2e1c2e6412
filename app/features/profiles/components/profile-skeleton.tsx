import { Skeleton } from '~/ui/skeleton.tsx'

/** A profile that is still loading: the card and the head of each section. */
export function ProfileSkeleton() {
	return (
		<div className="after-150ms grid grid-cols-1 gap-x-14 gap-y-10 lg:grid-cols-[18rem_minmax(0,1fr)]" aria-busy="true">
			<p className="sr-only" role="status">
				Loading the profile
			</p>
			<div className="rounded-md border border-line-2 p-5">
				<Skeleton className="size-28 rounded-md" />
				<Skeleton className="mt-5 h-6 w-44" />
				<Skeleton className="mt-2.5 h-3 w-28" />
				<Skeleton className="mt-5 h-4 w-full" />
				<Skeleton className="mt-8 h-3 w-48" />
				<Skeleton className="mt-3 h-3 w-40" />
				<Skeleton className="mt-3 h-3 w-44" />
			</div>
			<div>
				{['about', 'academics', 'projects'].map((section) => (
					<div key={section} className="grid gap-x-8 border-t border-rule pt-3 pb-10 md:grid-cols-[8rem_minmax(0,1fr)]">
						<Skeleton className="h-3 w-20 max-md:mb-4" />
						<div>
							<Skeleton className="h-3 w-full" />
							<Skeleton className="mt-3 h-3 w-11/12" />
							<Skeleton className="mt-3 h-3 w-3/5" />
						</div>
					</div>
				))}
			</div>
		</div>
	)
}
