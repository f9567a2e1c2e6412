import { WifiOff } from 'lucide'
import { useLocation } from 'react-router'
import { loginPath } from '~/lib/addresses.ts'
import { Icon } from '~/ui/icon.tsx'
import { Link } from '~/ui/link.tsx'

interface AwayBarProps {
	/** The connection: a socket, HTTP instead of one, none, or none as the session has ended. */
	line: 'live' | 'polling' | 'away' | 'ended'
	/** Padding, where nothing keeps messages from being sent. */
	className: string
}

const waiting = 'border-t border-line bg-marigold-wash px-3 py-2 text-sm text-marigold-ink'

/** Says why messages wait and that nothing is lost, or that the chat runs without a socket. */
export function ChatConnectionBar({ line, className }: AwayBarProps) {
	const { pathname, search } = useLocation()
	return (
		<div role="status" className="flex-none">
			{line === 'away' && (
				<p className={`flex items-center gap-2 ${waiting}`}>
					<Icon of={WifiOff} className="icon-sm" />
					You are offline. Your messages are kept and will be sent when you are back.
				</p>
			)}
			{line === 'ended' && (
				<p className={waiting}>
					You are logged out.{' '}
					<Link className="link" to={loginPath(pathname + search)}>
						Log in
					</Link>{' '}
					again, and your messages will be sent.
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
