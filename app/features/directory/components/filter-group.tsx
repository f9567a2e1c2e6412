import type { ReactNode } from 'react'

/** A group of filters under its head. */
export function FilterGroup({ title, aside, children }: { title: string; aside?: ReactNode; children: ReactNode }) {
	return (
		<fieldset className="mt-3 min-w-0 first-of-type:mt-0">
			<legend className="rule-head rule-head-quiet w-full">
				<span>{title}</span>
				{aside}
			</legend>
			{children}
		</fieldset>
	)
}
