import { type ComponentProps, type ReactNode, useRef, useState } from 'react'
import { described, FieldShell } from './field.tsx'
import { SuggestionList } from './suggestion-list.tsx'
import { useSuggestions } from './use-suggestions.ts'

interface SuggestFieldProps extends Omit<ComponentProps<'input'>, 'name' | 'value' | 'defaultValue'> {
	label: string
	name: string
	defaultValue: string
	/** The address that answers `?q=` with suggestions. */
	source: string
	error?: string | null | undefined
	hint?: ReactNode
	/** Says so after the label. */
	optional?: boolean
}

/** A text that may be picked from suggestions and may be anything else; without JavaScript a plain field. */
export function SuggestField({
	label,
	name,
	defaultValue,
	source,
	error,
	hint,
	optional,
	id = name,
	...input
}: SuggestFieldProps) {
	const [text, setText] = useState('')
	const field = useRef<HTMLInputElement>(null)
	const take = (value: string) => {
		setText(value)
		if (!field.current) return
		field.current.value = value
		field.current.dispatchEvent(new Event('input', { bubbles: true }))
	}
	const { list, shown, failed, at, pick, onKey, close, show } = useSuggestions({
		source,
		text,
		onPick: ({ value }) => take(value),
	})
	const listId = `${id}-list`
	return (
		<FieldShell {...{ label, name, error, hint, id, optional }}>
			<div className="relative">
				<input
					className="input"
					type="text"
					id={id}
					name={name}
					role="combobox"
					aria-autocomplete="list"
					aria-expanded={shown}
					aria-controls={shown ? listId : undefined}
					aria-activedescendant={at >= 0 ? `${listId}-${at}` : undefined}
					autoComplete="off"
					{...input}
					{...described(id, error, hint)}
					ref={field}
					defaultValue={defaultValue}
					onChange={(event) => {
						setText(event.target.value)
						show()
					}}
					onKeyDown={onKey}
					onBlur={close}
				/>
				<SuggestionList id={listId} {...{ label, list, shown, failed, at, text }} onPick={pick} />
			</div>
		</FieldShell>
	)
}
