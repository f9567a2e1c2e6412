import type { ReactNode } from 'react'
import { versionLine } from '~/lib/version.ts'
import { TabRow } from '~/ui/tab-row.tsx'

const pages = [
	{ to: '/admin', title: 'Overview' },
	{ to: '/admin/categories', title: 'Categories' },
	{ to: '/admin/members', title: 'Members' },
	{ to: '/admin/invitations', title: 'Invitations' },
	{ to: '/admin/figures', title: 'Figures' },
	{ to: '/admin/settings', title: 'Settings' },
]

/** The layout of the admins' pages: a heading, tabs, and the version of the software. */
export function AdminFrame({ title, children }: { title: string; children: ReactNode }) {
	return (
		<div className="max-w-[52rem] pt-6 md:pt-8">
			<h1 className="text-2xl leading-9 font-bold wrap-anywhere">{title}</h1>
			<TabRow label="Administration" pages={pages} />
			{children}
			<p className="mt-10 border-t border-line pt-3 text-sm text-ink-3">{versionLine()}</p>
		</div>
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
