import { Ellipsis } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { Link } from 'react-router'
import type { ConversationView } from '../client/conversation.ts'
import { Intent } from './state-notice.tsx'

/** What is seldom wanted of a conversation; a native disclosure, so that it opens without scripts. */
export function ConversationMenu({ view, path, profile }: { view: ConversationView; path: string; profile: boolean }) {
	const { state, peer, messages } = view
	const menu = useRef<HTMLDetailsElement>(null)

	useEffect(() => {
		const close = (event: Event) => {
			if (!(event.target instanceof Node && menu.current?.contains(event.target))) menu.current?.removeAttribute('open')
		}
		document.addEventListener('pointerdown', close)
		document.addEventListener('focusin', close)
		return () => {
			document.removeEventListener('pointerdown', close)
			document.removeEventListener('focusin', close)
		}
	}, [])

	return (
		<details
			className="relative"
			ref={menu}
			onKeyDown={(event) => {
				if (event.key !== 'Escape' || !menu.current?.open) return
				event.stopPropagation()
				menu.current.open = false
				menu.current.querySelector('summary')?.focus()
			}}
		>
			<summary className="icon-btn icon-btn-sm max-sm:size-11 list-none" aria-label={`More about ${peer.name}`}>
				<Ellipsis className="icon" aria-hidden="true" />
			</summary>
			<div className="popup menu absolute top-full right-0 z-(--z-popover) mt-1 w-52">
				{profile && (
					<Link className="menu-item" to={`/find-dev/${peer.username}`}>
						View profile
					</Link>
				)}
				{messages.length > 0 && (
					<Intent
						path={path}
						intent={state.muted ? 'unmute' : 'mute'}
						className="menu-item"
						label={state.muted ? 'Unmute' : 'Mute'}
					/>
				)}
				<Intent
					path={path}
					intent={state.blockedByMe ? 'unblock' : 'block'}
					className="menu-item"
					label={state.blockedByMe ? 'Unblock' : 'Block'}
				/>
				<Link className="menu-item" to={`/report/profile/${peer.username}`} rel="nofollow">
					Report the profile
				</Link>
			</div>
		</details>
	)
}
