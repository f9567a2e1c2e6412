import { useRef } from 'react'
import { useNoticesAbove } from '~/shell/notices-above.ts'
import { SubmitButton } from '~/ui/submit-button.tsx'

/** The foot of a form of single fields: it stays in sight while the form is longer than the window. */
export function SaveBar({ dirty }: { dirty: boolean }) {
	const bar = useRef<HTMLDivElement>(null)
	useNoticesAbove(bar)
	return (
		<div
			ref={bar}
			className="sticky bottom-0 z-10 -mx-1 flex items-center gap-2 border-t border-line bg-paper px-1 py-3"
		>
			<SubmitButton busyLabel="Saving..." name="choice" value="save">
				Save changes
			</SubmitButton>
			<button className="btn btn-ghost" type="reset">
				Discard
			</button>
			<span className="meta ml-auto" role="status">
				{dirty && 'Unsaved changes'}
			</span>
		</div>
	)
}
