import { type KeyboardEvent, useRef, useState } from 'react'
import { LatestNotices } from '~/features/notifications/components/latest-notices.tsx'
import { LatestMessages } from './latest-messages.tsx'

interface InboxPanelProps {
	/** In how many conversations something is unread. */
	conversations: number
	/** How many notices are unread. */
	notices: number
	open: boolean
}

const tabs = ['Messages', 'Notifications'] as const

/** What is new for a member: conversations and notices, a tab each; the one that has something new is shown first. */
export default function InboxPanel({ conversations, notices, open }: InboxPanelProps) {
	const [shown, setShown] = useState<(typeof tabs)[number]>(
		conversations === 0 && notices > 0 ? 'Notifications' : 'Messages',
	)
	const list = useRef<HTMLDivElement>(null)
	const counts = { Messages: conversations, Notifications: notices }

	const turn = (event: KeyboardEvent) => {
		if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return
		const other = shown === 'Messages' ? 'Notifications' : 'Messages'
		setShown(other)
		list.current?.querySelector<HTMLElement>(`#tab-${other}`)?.focus()
	}

	return (
		<>
			<div className="tabs px-4" role="tablist" aria-label="What is new" ref={list}>
				{tabs.map((name) => (
					<button
						key={name}
						type="button"
						className="tab"
						role="tab"
						id={`tab-${name}`}
						aria-selected={shown === name}
						aria-controls={`panel-${name}`}
						tabIndex={shown === name ? 0 : -1}
						data-active={shown === name ? '' : undefined}
						onClick={() => setShown(name)}
						onKeyDown={turn}
					>
						{name} {counts[name] > 0 && <span className="badge">{counts[name]}</span>}
					</button>
				))}
			</div>
			{tabs.map((name) => (
				<div key={name} role="tabpanel" id={`panel-${name}`} aria-labelledby={`tab-${name}`} hidden={shown !== name}>
					{name === 'Messages' ? (
						<LatestMessages unread={conversations} open={open && shown === name} />
					) : (
						<LatestNotices unread={notices} open={open && shown === name} />
					)}
				</div>
			))}
		</>
	)
}
