import { ArrowUp } from 'lucide-react'
import { counted } from '~/lib/text.ts'

/** Tells how many members have joined meanwhile, over the list and below the header: it takes no place, so nothing moves. */
export function NewcomersBar({ count, show }: { count: number; show: () => void }) {
	return (
		<div role="status" className="sticky top-17 z-10 flex h-0 justify-center">
			{count > 0 && (
				<button type="button" className="btn btn-outline btn-sm mt-3 shadow-overlay max-sm:h-10" onClick={show}>
					<ArrowUp className="icon icon-sm" aria-hidden="true" />
					{counted(count, 'new developer')}
				</button>
			)}
		</div>
	)
}
