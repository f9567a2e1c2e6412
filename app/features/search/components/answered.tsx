import { Check } from 'lucide'
import { Icon } from '~/ui/icon.tsx'

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
			<Icon of={Check} />
		</span>
	)
}
