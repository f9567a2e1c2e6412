import { type ComponentProps, type ReactNode, type RefObject, Suspense, useRef, useState } from 'react'
import { lazyWithRetry } from '~/shell/guarded.ts'
import { describedBy, FieldShell } from './field.tsx'
import type { SuggestionsProps } from './suggestions.tsx'

/** Makes an input a combobox before its list has loaded. */
export const comboboxAttributes = {
	role: 'combobox',
	'aria-autocomplete': 'list',
	'aria-expanded': false,
	autoComplete: 'off',
} as const

const SuggestionList = lazyWithRetry(() => import('./suggestions.tsx'))

/**
 * Suggestions below a text field, within a `relative` element. The list, its keys and its ARIA attributes are loaded with the first
 * text. The field needs {@link comboboxAttributes}.
 */
export function Suggestions<Answer>({
	field,
	...props
}: SuggestionsProps<Answer> & { field: RefObject<HTMLInputElement | null> }) {
	const [isWanted, setWanted] = useState(false)
	if (props.text !== null && !isWanted) setWanted(true)
	if (!isWanted || !field.current) return null
	return (
		<Suspense fallback={null}>
			{/* A lazy component loses its type parameter. */}
			<SuggestionList field={field.current} {...(props as SuggestionsProps<unknown>)} />
		</Suspense>
	)
}

interface SuggestFieldProps extends Omit<ComponentProps<'input'>, 'name' | 'defaultValue'> {
	label: string
	name: string
	defaultValue: string
	/** The address that answers `?q=` with suggestions. */
	source: string
	error?: string | null | undefined
	hint?: ReactNode
	/** Marked after the label. */
	optional?: boolean
}

/** A text field with suggestions that also accepts other text; without JavaScript a plain field. */
export function SuggestField({ label, name, source, error, hint, optional, id = name, ...input }: SuggestFieldProps) {
	const [text, setText] = useState('')
	const field = useRef<HTMLInputElement>(null)
	const take = (value: string) => {
		setText(value)
		if (!field.current) return
		field.current.value = value
		field.current.dispatchEvent(new Event('input', { bubbles: true }))
	}
	return (
		<FieldShell label={label} name={name} error={error} hint={hint} id={id} optional={optional}>
			<div className="relative">
				<input
					className="input"
					type="text"
					id={id}
					name={name}
					{...comboboxAttributes}
					{...input}
					{...describedBy(id, error, hint)}
					ref={field}
					onChange={(event) => setText(event.target.value)}
				/>
				<Suggestions
					field={field}
					label={label}
					source={`${source}?q=`}
					text={text.trim() || null}
					onPick={({ value }) => take(value)}
				/>
			</div>
		</FieldShell>
	)
}
