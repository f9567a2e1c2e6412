import { Search } from 'lucide'
import { type RefObject, useLayoutEffect, useRef, useState } from 'react'
import { comboboxAttributes } from '~/ui/combobox.tsx'
import { useBackdrop } from '~/ui/dialog.tsx'
import { Icon } from '~/ui/icon.tsx'
import { Form } from '~/ui/link.tsx'
import { MAX_SEARCH_LENGTH, searchRoute } from '../finder.paths.ts'
import FoundList from './found-list.tsx'

interface SwitcherProps {
	open: boolean
	/** What was typed before this was loaded; taken when the switcher opens. */
	typed: RefObject<string>
	/** Called on Escape, a click on the backdrop, and navigation. */
	onClose: () => void
}

/** A modal dialog with one search field. A native `<dialog>`, so that the page behind it is inert. */
export default function Switcher({ open, typed, onClose }: SwitcherProps) {
	const dialog = useRef<HTMLDialogElement>(null)
	const [field, setField] = useState<HTMLInputElement | null>(null)
	const [text, setText] = useState('')
	const backdrop = useBackdrop(onClose)

	// In the task that removes the field in its place, so that no letter is lost.
	useLayoutEffect(() => {
		if (!open) return dialog.current?.close()
		dialog.current?.showModal()
		field?.focus()
		field?.select()
		if (!field || !typed.current) return
		field.value = typed.current
		setText(field.value.trim())
		typed.current = ''
	}, [open, field, typed])

	return (
		<dialog
			ref={dialog}
			className="dialog switcher"
			aria-label="Search"
			onClose={onClose}
			{...backdrop}
			onKeyDownCapture={(event) => {
				if (event.key !== 'Escape' || event.nativeEvent.isComposing) return
				// Closes the dialog instead of only the list, and the browser closes nothing below it.
				event.preventDefault()
				onClose()
			}}
		>
			<Form
				className="flex min-h-0 flex-col"
				role="search"
				aria-label="Everything"
				action={searchRoute}
				onSubmit={onClose}
			>
				<div className="input-box flex-none">
					<Icon of={Search} />
					<input
						ref={setField}
						className="[&::-webkit-search-cancel-button]:hidden"
						type="search"
						name="q"
						{...comboboxAttributes}
						aria-label="Search everything"
						placeholder="People, queries, tags, projects, pages"
						autoCapitalize="none"
						spellCheck={false}
						maxLength={MAX_SEARCH_LENGTH}
						onInput={(event) => setText(event.currentTarget.value.trim())}
					/>
					<kbd className="kbd max-sm:hidden">Esc</kbd>
				</div>
				{field && <FoundList field={field} text={text} isInDialog onPicked={onClose} />}
			</Form>
		</dialog>
	)
}
