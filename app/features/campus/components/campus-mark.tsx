import { Check } from 'lucide-react'

/** Says that a member's university address was confirmed within the last year. */
export function CampusMark({ university, className = '' }: { university: string; className?: string }) {
	return (
		<p className={`flex gap-1.5 text-xs font-medium text-ink-2 ${className}`}>
			<Check className="icon icon-sm flex-none text-ivy" aria-hidden="true" />
			<span className="min-w-0 wrap-anywhere">Verified student of {university}</span>
		</p>
	)
}
