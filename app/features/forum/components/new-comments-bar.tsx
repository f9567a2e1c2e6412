import { MessageSquare } from 'lucide-react'
import { counted } from '~/lib/text.ts'

/** Tells how many comments others wrote meanwhile, below the header and over the threads: it takes no place, so nothing moves. */
export function NewCommentsBar({ count, show }: { count: number; show: () => void }) {
	return (
		<div role="status" className="sticky top-17 z-10 flex h-0 justify-center">
			{count > 0 && (
				<button type="button" className="btn btn-outline btn-sm mt-3 shadow-overlay max-sm:h-10" onClick={show}>
					<MessageSquare className="icon icon-sm" aria-hidden="true" />
					{counted(count, 'new comment')}
				</button>
			)}
		</div>
	)
}
