import { Check, CheckCheck, Clock } from 'lucide-react'
import type { Mark } from './rows.ts'

const icons = { waiting: Clock, sent: Check, delivered: CheckCheck, read: CheckCheck }
const words = { waiting: 'On its way', sent: 'Sent', delivered: 'Delivered', read: 'Read' }

/** How far an own message has come, as a sign with its word. */
export function MarkIcon({ mark }: { mark: Mark }) {
	const Icon = icons[mark]
	return (
		<span title={words[mark]}>
			<Icon className="icon icon-sm" aria-hidden="true" data-read={mark === 'read' || undefined} />
			<span className="sr-only">{words[mark]}</span>
		</span>
	)
}
