import type { ReactNode } from 'react'

interface FilterGroupContentProps {
	title: string
	aside?: ReactNode
	children: ReactNode
}

/** Classes of the fieldset around a group of filters. */
export const filterGroup = 'mt-3 min-w-0 first-of-type:mt-0'

/** The heading and the filters of a group, within its fieldset. */
export function FilterGroupContent({ title, aside, children }: FilterGroupContentProps) {
	return (
		<>
			<legend className="rule-head rule-head-quiet w-full">
				<span>{title}</span>
				{aside}
			</legend>
			{children}
		</>
	)
}
