import type { ReactNode } from 'react'

interface RuleHeadProps {
	/** The id that the section's `aria-labelledby` names. */
	id?: string
	title: ReactNode
	/** A group within a section: a hairline above it. */
	quiet?: boolean
	/** A count or a link at the right end. */
	children?: ReactNode
}

/** The heading of a section: a rule, a title and at most one more thing. */
export function RuleHead({ id, title, quiet, children }: RuleHeadProps) {
	return (
		<div className={`rule-head${quiet ? ' rule-head-quiet' : ''}`}>
			<h2 id={id}>{title}</h2>
			{children}
		</div>
	)
}
