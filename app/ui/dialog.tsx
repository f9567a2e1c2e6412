import { X } from 'lucide'
import { type MouseEvent, type PointerEvent, type ReactNode, useId, useLayoutEffect, useRef } from 'react'
import { Icon } from './icon.tsx'

interface DialogProps {
	open: boolean
	/** Called for Escape, the X and a press on the backdrop. */
	onClose: () => void
	title: string
	children: ReactNode
}

/** A native modal dialog: the page behind is inert, Escape closes it, and the focus returns to where it was. */
export function Dialog({ open, onClose, title, children }: DialogProps) {
	const dialog = useRef<HTMLDialogElement>(null)
	const heading = useId()
	const backdrop = useBackdrop(onClose)

	// Closed before it is removed, as an element that is removed while it is open does not give the focus back.
	useLayoutEffect(() => {
		const element = dialog.current
		if (!open || !element) return
		element.showModal()
		return () => element.close()
	}, [open])

	return (
		<dialog
			ref={dialog}
			className="dialog"
			aria-labelledby={heading}
			// Not for a dialog that was opened again, or removed, before this event.
			onClose={() => dialog.current?.open === false && onClose()}
			{...backdrop}
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

/** The handlers of a `<dialog>` that a press on its backdrop closes. */
export function useBackdrop(onClose: () => void) {
	const isPressed = useRef(false)
	return {
		onPointerDown: (event: PointerEvent<HTMLDialogElement>) => {
			isPressed.current = isOnBackdrop(event)
		},
		// A text that is selected beyond the edge of the dialog ends on the backdrop with a click, too.
		onClick: ({ target, currentTarget }: MouseEvent<HTMLDialogElement>) => {
			if (target === currentTarget && isPressed.current) onClose()
		},
	}
}

/** A dialog is the target of presses on its backdrop, but also of those on its own edge. */
function isOnBackdrop({ target, currentTarget, clientX, clientY }: PointerEvent): boolean {
	const { left, right, top, bottom } = currentTarget.getBoundingClientRect()
	const isInside = clientX >= left && clientX <= right && clientY >= top && clientY <= bottom
	return target === currentTarget && !isInside
}
