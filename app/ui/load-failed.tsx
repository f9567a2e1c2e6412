import { busyButtonProps } from './submit-button.tsx'

/** In place of a list that could not be loaded. The button stays during the next try, as it has the focus. */
export function LoadFailed({ busy, onRetry }: { busy: boolean; onRetry: () => void }) {
	return (
		<div className="flex items-center justify-between gap-3 p-4 text-sm text-ink-2" role="alert">
			<p>Something went wrong!</p>
			<button type="button" className="btn btn-sm btn-outline" {...busyButtonProps(busy, onRetry)}>
				Try again
			</button>
		</div>
	)
}
