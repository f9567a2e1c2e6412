import { type ComponentProps, type ReactNode, type RefObject, Suspense, useRef, useState } from 'react'
import { lazyPart } from '~/shell/guarded.ts'
import { described, FieldShell } from './field.tsx'

/** One thing that may be meant; `note` stands beside it. */
export interface Suggestion {
	/** Unique in its group. */
	value: string
	note?: string
	/** What was typed itself, offered as it is. */
	own?: boolean
	/** Where it leads, if it is a link. */
	href?: string
	/** Drawn in place of the value and its note. */
	content?: ReactNode
}

/** Suggestions of one kind; without a name they have no heading. */
export interface SuggestionGroup {
	name?: string
	options: Suggestion[]
}

export interface SuggestionsProps<Answer> {
	/** The name of the list. */
	label: string
	/** The address that answers with suggestions; the text is appended to it. */
	source: string
	/** What suggestions are wanted for; null for none. */
	text: string | null
	/** What is offered. `answer` is null until there is one for this text, and where none came. */
	groupsOf?: (answer: Answer | null, text: string) => SuggestionGroup[]
	onPick: (suggestion: Suggestion, group: SuggestionGroup) => void
	/** Whether Enter takes the first one without the arrow keys. A list for another text is then never shown. */
	picksFirst?: boolean
	/** Whether Tab takes one too. */
	picksWithTab?: boolean
	/** Whether the focus alone opens the list. */
	opensOnFocus?: boolean
	/** Milliseconds without a key before the server is asked; 150 unless said otherwise. */
	debounceMs?: number
	/** Milliseconds until the list closes after the field was left; 0 unless said otherwise. */
	closeDelayMs?: number
	/** Said where nothing was found; by default nothing. */
	empty?: string
	/** Said where no answer came; null for nothing. */
	failure?: string | null
	/** Said to screen readers of the list when it opens. */
	announcement?: (count: number) => string
}

/** What makes an input a combobox before its list is there. */
export const comboboxAttributes = {
	role: 'combobox',
	'aria-autocomplete': 'list',
	'aria-expanded': false,
	autoComplete: 'off',
} as const

const SuggestionList = lazyPart(() => import('./suggestions.tsx'))

/**
 * The suggestions below a text field, within an element that is positioned `relative`. The field stays what it is; the list,
 * its keys and its ARIA attributes are loaded with the first text. The field carries {@link comboboxAttributes}.
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
			{/* A lazy component forgets the type of its answers. */}
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
	/** Says so after the label. */
	optional?: boolean
}

/** A text that may be picked from suggestions and may be anything else; without JavaScript a plain field. */
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
		<FieldShell {...{ label, name, error, hint, id, optional }}>
			<div className="relative">
				<input
					className="input"
					type="text"
					id={id}
					name={name}
					{...comboboxAttributes}
					{...input}
					{...described(id, error, hint)}
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
