import type { KeyboardEvent } from 'react'

interface EditorTabsProps {
	/** Whether the preview is shown. */
	preview: boolean
	onWrite: () => void
	onPreview: () => void
}

/** Write or Preview. */
export function EditorTabs({ preview, onWrite, onPreview }: EditorTabsProps) {
	const tabs = [
		{ name: 'Write', active: !preview, choose: onWrite },
		{ name: 'Preview', active: preview, choose: onPreview },
	]
	const move = (event: KeyboardEvent<HTMLDivElement>) => {
		if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return
		event.preventDefault()
		const [write, shown] = event.currentTarget.querySelectorAll('button')
		const to = preview ? write : shown
		to?.focus()
		to?.click()
	}
	return (
		<div
			className="tabs gap-3 max-sm:px-3 sm:ml-auto sm:self-stretch sm:border-0"
			role="tablist"
			aria-label="Editor"
			onKeyDown={move}
		>
			{tabs.map(({ name, active, choose }) => (
				<button
					key={name}
					className="tab sm:mb-0 sm:h-full"
					type="button"
					role="tab"
					aria-selected={active}
					aria-controls={active && preview ? 'preview' : undefined}
					tabIndex={active ? 0 : -1}
					data-active={active || undefined}
					onClick={choose}
				>
					{name}
				</button>
			))}
		</div>
	)
}
