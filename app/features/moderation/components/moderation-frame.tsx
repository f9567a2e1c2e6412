import type { ReactNode, RefObject } from 'react'
import { useRootData } from '~/lib/root-data.ts'
import { NavLink } from '~/ui/link.tsx'
import { useTabInView } from '~/ui/use-tab-in-view.ts'

interface ModerationFrameProps {
	title: string
	/** The heading, for a page that gives it the focus. */
	heading?: RefObject<HTMLHeadingElement | null>
	children: ReactNode
}

/** The layout of the moderators' pages: a heading and tabs. */
export function ModerationFrame({ title, heading, children }: ModerationFrameProps) {
	const { viewer } = useRootData()
	const tabs = useTabInView<HTMLElement>()
	return (
		<div className="max-w-[52rem] pt-6 md:pt-8">
			<h1 ref={heading} className="text-2xl leading-9 font-bold wrap-anywhere" tabIndex={heading && -1}>
				{title}
			</h1>
			<nav ref={tabs} className="tabs tabs-scroll mt-3" aria-label="Moderation">
				<Tab to="/moderation">Queue</Tab>
				<Tab to="/moderation/members">Members</Tab>
				<Tab to="/moderation/accounts">Spam</Tab>
				<Tab to="/moderation/terms">Terms</Tab>
				<Tab to="/moderation/searches">Searches</Tab>
				<Tab to="/moderation/routing">Routing</Tab>
				{viewer?.role === 'admin' && <Tab to="/moderation/log">Log</Tab>}
			</nav>
			{children}
		</div>
	)
}

function Tab({ to, children }: { to: string; children: string }) {
	return (
		<NavLink className="tab aria-[current]:border-ink aria-[current]:text-ink" to={to} end>
			{children}
		</NavLink>
	)
}
