import { X } from 'lucide'
import {
	type ChangeEvent,
	type ClipboardEvent,
	type KeyboardEvent,
	type ReactNode,
	useEffect,
	useLayoutEffect,
	useRef,
	useState,
} from 'react'
import { useHydrated } from '~/lib/use-hydrated.ts'
import { comboboxAttributes, Suggestions } from './combobox.tsx'
import { describedBy, Field, FieldShell } from './field.tsx'
import { Icon } from './icon.tsx'
import type { Suggestion } from './suggestions.tsx'

interface ChipsFieldProps {
	label: string
	name: string
	/** Comma-separated, as the form sends it. */
	defaultValue: string
	/** Maximum number of chips. */
	most: number
	/** Maximum characters of each. */
	longest: number
	/** The address that answers `?q=` with suggestions. */
	source: string
	error?: string | null | undefined
	className?: string
	/** Marked after the label. */
	optional?: boolean
	/** Content beside the label. */
	aside?: ReactNode
	/** Says how many there are and what the keys do; one sentence by default. */
	hint?: (count: number) => ReactNode
	/** Placeholder of the input after the chips. */
	placeholder?: (count: number) => string
	/** Normalizes a typed name; '' for an invalid one. */
	shape?: (typed: string) => string
	/** Class of a chip. */
	chipClass?: string
}

/** Several short names as chips, with suggestions; without JavaScript a comma-separated text. */
export function ChipsField({ className, ...props }: ChipsFieldProps) {
	const hydrated = useHydrated()
	const plain = useRef<HTMLInputElement>(null)
	const { label, name, defaultValue, error, optional, aside, hint } = props
	const explanation = 'Separated by commas.'
	// A line more or less would move the form when the chips replace this field.
	const hasLine = !hint || Boolean(hint(0))
	return (
		<div className={className}>
			{hydrated ? (
				<Chips {...props} before={stateOf(plain.current) ?? { value: defaultValue, selection: null }} />
			) : (
				<Field
					ref={plain}
					label={label}
					name={name}
					defaultValue={defaultValue}
					error={error}
					optional={optional}
					aside={aside}
					hint={hasLine && explanation}
					placeholder={hasLine ? undefined : explanation}
				/>
			)}
		</div>
	)
}

/** The state of the plain field that this one replaced. */
interface PlainState {
	value: string
	/** The selection; null without the focus. */
	selection: [from: number, to: number] | null
}

function stateOf(input: HTMLInputElement | null): PlainState | null {
	if (!input) return null
	const { value, selectionStart, selectionEnd } = input
	const isFocused = input === document.activeElement
	return { value, selection: isFocused ? [selectionStart ?? value.length, selectionEnd ?? value.length] : null }
}

interface ChipsProps extends Omit<ChipsFieldProps, 'className'> {
	before: PlainState
}

function Chips({ label, name, defaultValue, before, most, longest, source, error, ...look }: ChipsProps) {
	const { aside, optional, hint: hintOf = usualHint(most), placeholder, shape: shaped = usualShape, chipClass } = look
	// A reader who is typing continues in the plain text, which becomes chips like any other.
	const [{ value, selection }] = useState(before)
	const { chips, said, add, remove, store } = useChips(selection ? '' : value, most, shaped)
	const input = useRef<HTMLInputElement>(null)
	const { text, take, ...typing } = useTyping(selection ? value : '', add, () => remove(chips.length - 1))
	useLayoutEffect(() => {
		if (!selection) return
		input.current?.focus({ preventScroll: true })
		input.current?.setSelectionRange(...selection)
	}, [selection])
	const id = name
	const hint = hintOf(chips.length)
	return (
		<FieldShell label={label} name={name} error={error} hint={hint} id={id} aside={aside} optional={optional}>
			<div className="relative min-w-0">
				{/* biome-ignore lint/a11y: pressing beside the text leads into it, as in a field of the browser */}
				<div className="input-box" data-invalid={error ? true : undefined} onClick={() => input.current?.focus()}>
					{chips.map((chip, index) => (
						<Chip
							key={chip}
							name={chip}
							className={chipClass}
							onRemove={() => {
								remove(index)
								input.current?.focus()
							}}
						/>
					))}
					<input
						ref={input}
						id={id}
						{...comboboxAttributes}
						autoCapitalize="none"
						maxLength={text.includes(',') ? undefined : longest}
						placeholder={placeholder?.(chips.length)}
						value={text}
						{...typing}
						{...describedBy(id, error, hint)}
					/>
				</div>
				<Suggestions<{ suggestions: Suggestion[] }>
					field={input}
					label={label}
					source={`${source}?q=`}
					text={text.trim() || null}
					picksFirst
					groupsOf={(answer, typed) => [{ options: offered(answer?.suggestions ?? [], chips, shaped(typed)) }]}
					onPick={({ value }) => take(value)}
				/>
			</div>
			<input ref={store} type="hidden" name={name} value={chips.join(', ')} data-start={defaultValue} />
			<span className="sr-only" role="status">
				{said}
			</span>
		</FieldShell>
	)
}

function Chip({ name, className = '', onRemove }: { name: string; className?: string; onRemove: () => void }) {
	return (
		<span className="chip max-w-full">
			<span className={`truncate ${className}`}>{name}</span>
			<button type="button" aria-label={`Remove ${name}`} onClick={onRemove}>
				<Icon of={X} className="icon-sm" />
			</button>
		</span>
	)
}

/**
 * The text after the chips, and the handlers of its input, which turn it into chips.
 * @param add adds what was typed, and returns the text that did not fit in
 */
function useTyping(start: string, add: (typed: string) => string, removeLast: () => void) {
	const [text, setText] = useState(start)
	const take = (typed: string) => setText(add(typed))
	return {
		text,
		take,
		onChange: (event: ChangeEvent<HTMLInputElement>) => setText(event.target.value),
		onKeyDown: (event: KeyboardEvent<HTMLInputElement>) => {
			// Keys that the list of suggestions has handled.
			if (event.defaultPrevented || event.nativeEvent.isComposing) return
			// Enter adds a chip. It never submits the form, even when the input is empty.
			if (event.key === 'Enter') event.preventDefault()
			if ((event.key === 'Enter' || event.key === ',') && text.trim() !== '') {
				event.preventDefault()
				take(text)
			} else if (event.key === 'Backspace' && text === '') removeLast()
		},
		onPaste: (event: ClipboardEvent) => {
			const pasted = event.clipboardData.getData('text')
			if (!/[,\n]/.test(pasted)) return
			event.preventDefault()
			take(`${text}${pasted}`)
		},
		onBlur: () => {
			// The typed text counts, also if Save is pressed next. A new row of chips would move that button away from the
			// pointer, so this waits until the press has ended.
			if (text.trim() !== '') afterPress(() => take(text))
		},
	}
}

/** Suggestions that are no chips yet, and finally the typed text itself, unless it is among them. */
function offered(found: Suggestion[], chips: string[], typed: string): Suggestion[] {
	const fresh = found.filter(({ value }) => !has(chips, value))
	const isKnown = typed === '' || has([...chips, ...fresh.map(({ value }) => value)], typed)
	return isKnown ? fresh : [...fresh, { value: typed, own: true }]
}

/** The chips, an announcement of the last change, and the hidden field that notifies the form. */
function useChips(start: string, most: number, shape: (typed: string) => string) {
	const [chips, setChips] = useState(() => merged([], start, most, shape).chips)
	const [said, setSaid] = useState('')
	const store = useRef<HTMLInputElement>(null)
	const joined = chips.join(', ')
	const reported = useRef(joined)
	useEffect(() => {
		if (reported.current === joined) return
		reported.current = joined
		store.current?.dispatchEvent(new Event('input', { bubbles: true }))
	}, [joined])
	/** @returns the text that did not fit in */
	const add = (typed: string): string => {
		const next = merged(chips, typed, most, shape)
		const fresh = next.chips.slice(chips.length)
		const sentences = [fresh.length > 0 && `${fresh.join(', ')} added`, next.left !== '' && fullText(most)]
		setSaid(sentences.filter(Boolean).join('. '))
		setChips(next.chips)
		return next.left
	}
	const remove = (index: number) => {
		const gone = chips[index]
		if (gone === undefined) return
		setSaid(`${gone} removed`)
		setChips(chips.filter((chip) => chip !== gone))
	}
	return { chips, said, add, remove, store }
}

/** The chips with what was typed, unique ignoring case, up to the maximum, and what is left of the typed text after that. */
function merged(chips: string[], typed: string, most: number, shape: (typed: string) => string) {
	const all = [...chips]
	const left: string[] = []
	for (const part of typed.split(/[,\n]/)) {
		const name = shape(part)
		if (name === '' || has(all, name)) continue
		if (all.length < most) all.push(name)
		else left.push(name)
	}
	return { chips: all, left: left.join(', ') }
}

function has(chips: string[], name: string): boolean {
	return chips.some((chip) => chip.toLowerCase() === name.toLowerCase())
}

function usualHint(most: number) {
	return (count: number) =>
		count < most ? `${count} of ${most}. Enter adds, Backspace removes the last one.` : fullText(most)
}

function fullText(most: number): string {
	return `${most} of ${most}. Remove one to add another.`
}

function usualShape(typed: string): string {
	return typed.replace(/\s+/g, ' ').trim()
}

/** Runs at once, or when a pressed pointer is released, or begins to drag or scroll, which ends its press. */
function afterPress(work: () => void): void {
	if (!pressed) {
		work()
		return
	}
	const released = new AbortController()
	for (const type of ['pointerup', 'pointercancel'])
		addEventListener(
			type,
			() => {
				released.abort()
				work()
			},
			{ signal: released.signal },
		)
}

let pressed = false
if (typeof document !== 'undefined') {
	const note = ({ type, button }: PointerEvent) => {
		// The context menu that another button opens can swallow the release.
		pressed = type === 'pointerdown' && button === 0
	}
	for (const type of ['pointerdown', 'pointerup', 'pointercancel'] as const)
		addEventListener(type, note, { capture: true })
}
