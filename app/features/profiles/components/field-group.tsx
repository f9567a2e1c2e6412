import type { ReactNode } from 'react'

interface FieldGroupProps {
	title: string
	/** Stands at the right end of the rule. */
	note?: string
	/** Stands in a column of its own at the right, below the fields where there is no room for one. */
	aside?: ReactNode
	children: ReactNode
}

/** Fields that belong together, under a rule with their name: two columns where there is room. */
export function FieldGroup({ title, note, aside, children }: FieldGroupProps) {
	return (
		<fieldset className="min-w-0">
			<legend className="rule-head w-full">
				<span>{title}</span>
				{note && <span>{note}</span>}
			</legend>
			<div className={aside ? 'mt-2 grid grid-cols-1 gap-x-8 gap-y-5 lg:grid-cols-[minmax(0,1fr)_15rem]' : 'mt-2'}>
				<div className="grid grid-cols-1 gap-x-4 gap-y-5 content-start sm:grid-cols-2">{children}</div>
				{aside}
			</div>
		</fieldset>
	)
}
