import type { ReactNode } from 'react'

interface FilterGroupProps {
	title: string
	aside?: ReactNode
	children: ReactNode
}

/** Classes of the fieldset around a group of filters. */
export const filterGroup = 'mt-3 min-w-0 first-of-type:mt-0'

/** A group of filters below its heading. */
export function FilterGroup(props: FilterGroupProps) {
	return (
		<fieldset className={filterGroup}>
			<FilterGroupContent {...props} />
		</fieldset>
	)
}

/** The content of a group's fieldset. */
export function FilterGroupContent({ title, aside, children }: FilterGroupProps) {
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
