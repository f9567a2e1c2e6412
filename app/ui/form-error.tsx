import { CircleAlert } from 'lucide-react'
import type { ReactNode } from 'react'

/** What is wrong with a whole form, above its fields. Shows nothing without words. */
export function FormError({ children }: { children?: ReactNode }) {
	if (!children) return null
	return (
		<p
			className="flex gap-2.5 rounded-sm border border-red-line bg-red-wash px-3 py-2.5 leading-5 text-red"
			role="alert"
		>
			<CircleAlert className="icon mt-0.5" aria-hidden="true" />
			<span>{children}</span>
		</p>
	)
}
