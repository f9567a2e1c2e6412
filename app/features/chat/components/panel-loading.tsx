import { Skeleton } from '~/ui/skeleton.tsx'

/** What the panel shows until its conversation is there. */
export function PanelLoading() {
	return (
		<div className="flex flex-1 flex-col gap-2.5 px-3 pt-4" aria-busy="true">
			<p className="text-sm text-ink-2" role="status">
				Chat is loading! Please wait...
			</p>
			<Skeleton className="h-9 w-52 rounded-md" />
			<Skeleton className="h-14 w-60 rounded-md" />
			<Skeleton className="ml-auto h-9 w-40 rounded-md" />
			<Skeleton className="h-9 w-44 rounded-md" />
			<Skeleton className="ml-auto h-14 w-56 rounded-md" />
		</div>
	)
}
