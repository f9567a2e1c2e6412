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

interface SkeletonListProps {
	/** What is loading, for screen readers: “Loading developers”. */
	label: string
	count: number
	className?: string
	rowClassName?: string
	/** One row, with the size of a real one. */
	children: ReactNode
}

/** A list of placeholder rows; it appears after 150 ms. */
export function SkeletonList({ label, count, className = '', rowClassName, children }: SkeletonListProps) {
	return (
		<ul className={`after-150ms ${className}`} aria-label={label} aria-busy="true">
			{Array.from({ length: count }, (_, index) => index).map((index) => (
				<li key={index} className={rowClassName}>
					{children}
				</li>
			))}
		</ul>
	)
}

/** A placeholder block; `className` sets its size. */
export function Skeleton({ className }: { className: string }) {
	return <span className={`skel ${className}`} aria-hidden="true" />
}
