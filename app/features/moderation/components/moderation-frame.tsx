import type { ReactNode } from 'react'
import { useRootData } from '~/lib/root-data.ts'
import { NavLink } from '~/ui/link.tsx'

/** The layout of the moderators' pages: a heading and tabs. */
export function ModerationFrame({ title, children }: { title: string; children: ReactNode }) {
	const { viewer } = useRootData()
	return (
		<div className="max-w-[52rem] pt-6 md:pt-8">
			<h1 className="text-2xl leading-9 font-bold wrap-anywhere">{title}</h1>
			<nav className="tabs mt-3 overflow-x-auto overflow-y-hidden" aria-label="Moderation">
				<Tab to="/moderation">Queue</Tab>
				<Tab to="/moderation/members">Members</Tab>
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
