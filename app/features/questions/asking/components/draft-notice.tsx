import { History, X } from 'lucide-react'
import { RelativeTime } from '~/ui/time.tsx'
import type { Notice } from './use-draft.ts'

const words = {
	restored: 'Draft restored',
	offered: 'You have a different draft',
	tab: 'This draft was changed in another tab. The newer text is shown',
	device: 'This draft was also changed on another device. The text here is newer and was kept',
} as const

interface DraftNoticeProps {
	notice: Notice | null
	onDiscard: () => void
	onSwap: () => void
	onClose: () => void
}

/** Says that a draft was found, and lets the member take the other one or begin anew. */
export function DraftNotice({ notice, onDiscard, onSwap, onClose }: DraftNoticeProps) {
	return (
		<div role="status" className="contents">
			{notice && (
				<div className="flex flex-wrap items-center gap-x-3 gap-y-1 rounded-sm bg-sunken py-1 pr-1 pl-3 text-sm leading-5">
					<History className="icon text-ink-3 max-sm:hidden" aria-hidden="true" />
					<span className="min-w-0 flex-1 py-1">
						{words[notice.kind]}{' '}
						<span className="text-ink-3">
							(<RelativeTime at={notice.at} />)
						</span>
					</span>
					<span className="flex items-center gap-1">
						{notice.other && (
							<button type="button" className="btn btn-outline btn-sm" onClick={onSwap}>
								Show the other text
							</button>
						)}
						{notice.kind === 'restored' && (
							<button type="button" className="btn btn-ghost btn-sm" onClick={onDiscard}>
								Discard
							</button>
						)}
						<button type="button" className="icon-btn icon-btn-sm" aria-label="Close this notice" onClick={onClose}>
							<X className="icon icon-sm" aria-hidden="true" />
						</button>
					</span>
				</div>
			)}
		</div>
	)
}
