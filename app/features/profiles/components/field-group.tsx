import type { ReactNode } from 'react'

interface FieldGroupProps {
	title: string
	/** Stands at the right end of the rule. */
	note?: string
	children: ReactNode
}

/** Fields that belong together, under a rule with their name: two columns where there is room. */
export function FieldGroup({ title, note, children }: FieldGroupProps) {
	return (
		<fieldset className="min-w-0">
			<legend className="rule-head w-full">
				<span>{title}</span>
				{note && <span>{note}</span>}
			</legend>
			<div className="mt-2 grid grid-cols-1 gap-x-4 gap-y-5 sm:grid-cols-2">{children}</div>
		</fieldset>
	)
}
