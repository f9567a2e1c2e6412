import type { ReactNode, RefObject } from 'react'

interface SectionHeadingProps {
	/** The id that the section's `aria-labelledby` names. */
	id?: string
	title: ReactNode
	/** For a list whose items can be removed: the focus moves to the heading then. */
	place?: RefObject<HTMLHeadingElement | null>
	/** A count or a link at the right end. */
	children?: ReactNode
}

/** The heading of a section: a rule, a title and at most one more thing. */
export function SectionHeading({ id, title, place, children }: SectionHeadingProps) {
	return (
		<div className="rule-head">
			<h2 id={id} ref={place} tabIndex={place && -1}>
				{title}
			</h2>
			{children}
		</div>
	)
}
