import { MessageSquare } from 'lucide-react'
import { counted } from '~/lib/text.ts'

/**
 * Tells how many comments others wrote meanwhile. Its place under the head is always free, so that nothing moves when it comes.
 * It follows the reader down the threads, except while they write: there it would lie on the text.
 */
export function NewCommentsBar({ count, show }: { count: number; show: () => void }) {
	return (
		<div
			role="status"
			className="sticky top-17 z-10 flex h-5 justify-center group-has-[textarea:focus]/discussion:static max-sm:h-7"
		>
			{count > 0 && (
				<button type="button" className="btn btn-outline btn-sm mt-2 shadow-overlay max-sm:h-9" onClick={show}>
					<MessageSquare className="icon icon-sm" aria-hidden="true" />
					{counted(count, 'new comment')}
				</button>
			)}
		</div>
	)
}
