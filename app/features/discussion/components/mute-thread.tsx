import { Bell, BellOff } from 'lucide-react'
import { Form } from 'react-router'

/** Stops or resumes what is told of the question whose page this is; `intent` is the page's. */
export function MuteThread({ muted }: { muted: boolean }) {
	const Icon = muted ? BellOff : Bell
	return (
		<Form method="post" className="flex">
			<button
				className="icon-btn icon-btn-sm"
				type="submit"
				name="intent"
				value={muted ? 'unmute' : 'mute'}
				aria-pressed={muted}
				aria-label="Mute this query"
				title={muted ? 'Muted: no notifications about this query' : 'Mute this query'}
			>
				<Icon className="icon icon-sm" aria-hidden="true" />
			</button>
		</Form>
	)
}
