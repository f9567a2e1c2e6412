import { Fragment } from 'react'

/** A sentence of the description, with what stands between backticks as code. */
export function Words({ children }: { children: string }) {
	return children.split('`').map((part, index) => {
		// The parts of one sentence never change places.
		const key = `${index}`
		return index % 2 === 1 ? (
			<code key={key} className="font-mono text-[0.92em]">
				{part}
			</code>
		) : (
			<Fragment key={key}>{part}</Fragment>
		)
	})
}
