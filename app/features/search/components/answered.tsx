import { Check } from 'lucide-react'

/** The mark of a question that has an accepted answer. */
export function Answered({ children = 'Answered' }: { children?: string }) {
	return (
		<span className="answered flex-none">
			<AnsweredMark />
			{children}
		</span>
	)
}

export function AnsweredMark() {
	return (
		<span className="answered-mark flex-none">
			<Check className="icon" aria-hidden="true" />
		</span>
	)
}
