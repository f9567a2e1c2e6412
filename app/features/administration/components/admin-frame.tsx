import type { ReactNode } from 'react'
import { NavLink } from '~/ui/link.tsx'

/** The frame of the admins' pages: a heading, and the tabs between them. */
export function AdminFrame({ title, children }: { title: string; children: ReactNode }) {
	return (
		<div className="max-w-[52rem] pt-6 md:pt-8">
			<h1 className="text-2xl leading-9 font-bold wrap-anywhere">{title}</h1>
			<nav className="tabs mt-3" aria-label="Administration">
				<Tab to="/admin">Overview</Tab>
				<Tab to="/admin/categories">Categories</Tab>
				<Tab to="/admin/members">Members</Tab>
				<Tab to="/admin/figures">Figures</Tab>
				<Tab to="/admin/settings">Settings</Tab>
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
