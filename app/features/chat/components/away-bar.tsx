import { WifiOff } from 'lucide-react'
import { useLine } from '../client/use-chat.ts'

/**
 * Says that the server cannot be reached, and that nothing is lost by it; or that it is asked because no socket gets through.
 * @param className padding of the latter
 */
export function AwayBar({ className }: { className: string }) {
	const line = useLine()
	return (
		<div role="status" className="flex-none">
			{line === 'away' && (
				<p className="flex items-center gap-2 border-t border-line bg-marigold-wash px-3 py-2 text-sm text-marigold-ink">
					<WifiOff className="icon icon-sm" aria-hidden="true" />
					You are offline. Your messages are kept and will be sent when you are back.
				</p>
			)}
			{line === 'polling' && (
				<p className={`border-t border-line py-1.5 text-xs text-ink-2 ${className}`}>
					This network blocks live updates. New messages are fetched every few seconds.
				</p>
			)}
		</div>
	)
}
