import { X } from 'lucide'
import { type ReactNode, useEffect, useId, useRef } from 'react'
import { Icon } from './icon.tsx'

interface DialogProps {
	open: boolean
	/** Called for Escape, the X and a click on the backdrop. */
	onClose: () => void
	title: string
	children: ReactNode
}

/** A native modal dialog: the page behind is inert, Escape closes it, and the focus returns to where it was. */
export function Dialog({ open, onClose, title, children }: DialogProps) {
	const dialog = useRef<HTMLDialogElement>(null)
	const heading = useId()

	useEffect(() => {
		if (open) dialog.current?.showModal()
		else dialog.current?.close()
	}, [open])

	return (
		// biome-ignore lint/a11y/useKeyWithClickEvents: the browser itself closes a dialog on Escape
		<dialog
			ref={dialog}
			className="dialog"
			aria-labelledby={heading}
			onClose={onClose}
			onClick={(event) => {
				if (event.target === dialog.current) onClose()
			}}
		>
			<div className="mb-4 flex items-center justify-between gap-4">
				<h2 className="text-lg font-semibold" id={heading}>
					{title}
				</h2>
				<button type="button" className="icon-btn -mr-2" aria-label="Close" onClick={onClose}>
					<Icon of={X} />
				</button>
			</div>
			{children}
		</dialog>
	)
}
