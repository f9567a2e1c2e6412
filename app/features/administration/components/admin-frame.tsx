import type { ReactNode } from 'react'
import { versionLine } from '~/lib/version.ts'
import { NavLink } from '~/ui/link.tsx'
import { useTabInView } from '~/ui/use-tab-in-view.ts'

/** The layout of the admins' pages: a heading, tabs, and the version of the software. */
export function AdminFrame({ title, children }: { title: string; children: ReactNode }) {
	const tabs = useTabInView<HTMLElement>()
	return (
		<div className="max-w-[52rem] pt-6 md:pt-8">
			<h1 className="text-2xl leading-9 font-bold wrap-anywhere">{title}</h1>
			<nav ref={tabs} className="tabs tabs-scroll mt-3" aria-label="Administration">
				<Tab to="/admin">Overview</Tab>
				<Tab to="/admin/categories">Categories</Tab>
				<Tab to="/admin/members">Members</Tab>
				<Tab to="/admin/invitations">Invitations</Tab>
				<Tab to="/admin/figures">Figures</Tab>
				<Tab to="/admin/settings">Settings</Tab>
			</nav>
			{children}
			<p className="mt-10 border-t border-line pt-3 text-sm text-ink-3">{versionLine()}</p>
		</div>
	)
}

function Tab({ to, children }: { to: string; children: string }) {
	return (
		<NavLink className="tab aria-[current]:border-ink aria-[current]:text-ink" to={to} end={to === '/admin'}>
			{children}
		</NavLink>
	)
}

/** A line of a definition list. */
export function Fact({ name, children }: { name: string; children: ReactNode }) {
	return (
		<>
			<dt className="meta">{name}</dt>
			<dd className="min-w-0 wrap-anywhere">{children}</dd>
		</>
	)
}
