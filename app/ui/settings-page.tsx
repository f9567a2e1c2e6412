import type { ReactNode } from 'react'
import { Link } from './link.tsx'

/** The layout of a page below the settings: the way back to them, and a heading. */
export function SettingsPage({ title, children }: { title: string; children: ReactNode }) {
	return (
		<div className="max-w-[44rem] pt-6 md:pt-8">
			<p>
				<Link className="link" to="/settings">
					Settings
				</Link>
			</p>
			<h1 className="mt-2 text-2xl leading-9 font-bold">{title}</h1>
			{children}
		</div>
	)
}
