import type { ReactNode } from 'react'

interface EmptyStateProps {
	title: string
	/** One sentence that names what was searched for. */
	children?: ReactNode
	/** One thing to do next. */
	action?: ReactNode
}

/** The content of an empty list. */
export function EmptyState({ title, children, action }: EmptyStateProps) {
	return (
		<div className="py-16">
			<p className="text-2xl font-bold">{title}</p>
			{children && <p className="mt-2 max-w-[52ch] text-md text-pretty text-ink-2">{children}</p>}
			{action && <p className="mt-5">{action}</p>}
		</div>
	)
}
