import type { ReactNode } from 'react'

interface SkeletonListProps {
	/** What is loading, for readers who do not see it: “Loading developers”. */
	label: string
	count: number
	className?: string
	rowClassName?: string
	/** One row, with the measures of the real one. */
	children: ReactNode
}

/** A list of the same loading row; it shows itself after 150 ms. */
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

/** One loading block; `className` gives its measures. */
export function Skeleton({ className }: { className: string }) {
	return <span className={`skel ${className}`} aria-hidden="true" />
}
