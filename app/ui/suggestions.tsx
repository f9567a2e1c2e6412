import Navigation from '@github/combobox-nav'
import { Plus } from 'lucide'
import { type ReactNode, useCallback, useEffect, useId, useRef, useState } from 'react'
import { Icon } from './icon.tsx'
import { Link } from './link.tsx'

/** A suggestion; `note` is shown beside it. */
export interface Suggestion {
	/** Unique in its group. */
	value: string
	note?: string
	/** Whether it is the typed text itself. */
	own?: boolean
	/** Its address, if it is a link. */
	href?: string
	/** Rendered instead of the value and its note. */
	content?: ReactNode
}

/** Suggestions of one kind; without a name they have no heading. */
export interface SuggestionGroup {
	name?: string
	options: Suggestion[]
}

export interface SuggestionsProps<Answer> {
	/** The accessible name of the list. */
	label: string
	/** The address of suggestions, to which the text is appended. */
	source: string
	/** The text to suggest for; null for none. */
	text: string | null
	/** The groups to show. `answer` is null while there is none for this text, and after a failure. */
	groupsOf?: (answer: Answer | null, text: string) => SuggestionGroup[]
	onPick: (suggestion: Suggestion, group: SuggestionGroup) => void
	/** Whether Enter takes the first one without the arrow keys. Then a list for another text is never shown. */
	picksFirst?: boolean
	/** Whether Tab takes one too. */
	picksWithTab?: boolean
	/** Whether the focus alone opens the list. */
	opensOnFocus?: boolean
	/** Whether the list is in the page's flow, as in a dialog, and not an overlay. */
	isInline?: boolean
	/** Milliseconds without a key before a request; 150 by default. */
	debounceMs?: number
	/** Whether the first key after such a pause sends a request at once, so that slow typing never waits. */
	asksAtOnce?: boolean
	/** Milliseconds from leaving the field until the list closes; 0 by default. */
	closeDelayMs?: number
	/** Shown when nothing was found; by default nothing. */
	empty?: string
	/** Shown after a failure; null for nothing. */
	failure?: string | null
	/** Announced to screen readers when the list opens. */
	announcement?: (count: number) => string
}

type TextField = HTMLInputElement | HTMLTextAreaElement
type Props = SuggestionsProps<unknown> & { field: TextField }

const layer =
	'popup absolute inset-x-0 top-full z-(--z-popover) mt-1.5 max-h-[calc(100dvh-5rem)] max-w-96 overflow-y-auto'
const DEBOUNCE_MS = 150
const FAILURE = 'Suggestions are not available right now.'

/**
 * The suggestions of a text field, by the ARIA combobox pattern: the focus stays in the field, arrow keys choose, Enter takes,
 * Escape closes. A text area keeps its role, as HTML allows no other.
 */
export default function SuggestionList(props: Props): ReactNode {
	const {
		label,
		text,
		groupsOf = plainGroup,
		onPick,
		picksFirst,
		isInline,
		empty,
		failure = FAILURE,
		announcement,
	} = props
	const id = useId()
	const { open, edits, close } = useOpen(props)
	const { answer, isAnswered, isFailed } = useAnswer(props, open)
	const navigate = useNavigation(props, open, close)

	const groups = open && text !== null ? groupsOf(answer, text) : []
	const options = groups.flatMap((group) => group.options.map((suggestion) => ({ group, suggestion })))
	const shown = options.length > 0
	const message = (isFailed && failure) || (isAnswered && !isFailed && !shown && empty) || null
	const keys = options.map(({ group, suggestion }) => keyOf(group, suggestion))
	return (
		<>
			{(shown || message) && (
				<div className={isInline ? 'mt-2 min-h-0 overflow-y-auto' : layer}>
					{shown && (
						// When the first one is chosen automatically, it is chosen again after each edit.
						<div
							key={`${picksFirst ? edits : ''} ${keys.join('\n')}`}
							ref={navigate}
							id={id}
							role="listbox"
							aria-label={label}
						>
							{groups.map((group) => (
								<Group key={group.name ?? ''} {...group}>
									{(suggestion) => (
										<Option
											key={keyOf(group, suggestion)}
											id={`${id}-${keys.indexOf(keyOf(group, suggestion))}`}
											suggestionKey={keyOf(group, suggestion)}
											suggestion={suggestion}
											text={text ?? ''}
											onPick={() => {
												onPick(suggestion, group)
												close()
											}}
										/>
									)}
								</Group>
							))}
						</div>
					)}
					{message && (
						<p className="px-3.5 py-2.5 text-ink-2" aria-hidden="true">
							{message}
						</p>
					)}
				</div>
			)}
			<span className="sr-only" role="status">
				{message ?? (shown && announcement?.(options.length))}
			</span>
		</>
	)
}

function plainGroup(answer: unknown): SuggestionGroup[] {
	return [{ options: (answer as { suggestions: Suggestion[] } | null)?.suggestions ?? [] }]
}

function keyOf({ name = '' }: SuggestionGroup, { value, own }: Suggestion): string {
	return `${name} ${own ? 'own' : value}`
}

/** Whether the list may be shown, and how often the field was edited. Typing opens it, as do the arrow keys of an input. */
function useOpen({ field, opensOnFocus = false, closeDelayMs = 0 }: Props) {
	// The list is loaded because something was typed.
	const [open, setOpen] = useState(() => document.activeElement === field)
	const [edits, setEdits] = useState(0)
	useEffect(() => {
		// The focus may have left the field since the list was rendered, and a list that opens under the pointer would take its press.
		setOpen((open) => open && document.activeElement === field)
		let closing: ReturnType<typeof setTimeout> | undefined
		const set = (open: boolean) => {
			clearTimeout(closing)
			setOpen(open)
		}
		const ended = new AbortController()
		const on = (target: EventTarget | null, type: string, listener: (event: Event) => void) =>
			target?.addEventListener(type, listener, { signal: ended.signal })
		on(field, 'input', () => {
			set(true)
			setEdits((before) => before + 1)
		})
		on(field, 'keydown', (event) => {
			const { key, shiftKey, ctrlKey, altKey, metaKey, isComposing } = event as KeyboardEvent
			const isArrow = key === 'ArrowDown' || key === 'ArrowUp'
			if (!isArrow || isComposing || shiftKey || ctrlKey || altKey || metaKey) return
			if (field instanceof HTMLTextAreaElement) return
			set(true)
			event.preventDefault()
		})
		if (opensOnFocus) on(field, 'focus', () => set(true))
		on(field, 'blur', () => {
			clearTimeout(closing)
			if (closeDelayMs === 0) setOpen(false)
			else closing = setTimeout(() => setOpen(false), closeDelayMs)
		})
		on(field.form, 'submit', () => set(false))
		return () => {
			clearTimeout(closing)
			ended.abort()
		}
	}, [field, opensOnFocus, closeDelayMs])
	return { open, edits, close: useCallback(() => setOpen(false), []) }
}

/** The suggestions for the text, requested when typing pauses. Older requests are aborted. */
function useAnswer(
	{ source, text, picksFirst = false, debounceMs = DEBOUNCE_MS, asksAtOnce = false }: Props,
	open: boolean,
) {
	const [found, setFound] = useState<{ text: string; answer: unknown } | null>(null)
	const changedAt = useRef(Number.NEGATIVE_INFINITY)
	useEffect(() => {
		if (!open || text === null) return
		const pause = performance.now() - changedAt.current
		changedAt.current = performance.now()
		const abort = new AbortController()
		const timer = setTimeout(
			async () => {
				const answer = await ask(source + encodeURIComponent(text), abort.signal)
				if (!abort.signal.aborted) setFound({ text, answer })
			},
			asksAtOnce && pause >= debounceMs ? 0 : debounceMs,
		)
		return () => {
			clearTimeout(timer)
			abort.abort()
		}
	}, [source, text, open, debounceMs, asksAtOnce])
	if (!found || text === null) return { answer: null, isAnswered: false, isFailed: false }
	// The previous list stays while the next one loads, as long as the same word is continued. Where Enter takes the first one, the
	// list has to be for the current text.
	const isLonger = !picksFirst && found.text !== '' && text.startsWith(found.text)
	const isShorter = !picksFirst && text !== '' && found.text.startsWith(text)
	const isAnswered = open && (found.text === text || isLonger)
	const fits = isAnswered || isShorter
	return { answer: fits ? found.answer : null, isAnswered, isFailed: isAnswered && found.answer === null }
}

/** @returns null after a failure; the field works all the same */
async function ask(address: string, signal: AbortSignal): Promise<unknown> {
	try {
		const response = await fetch(address, { signal })
		return response.ok ? await response.json() : null
	} catch {
		return null
	}
}

/** A ref for the shown list: connects it to the field and its keys. A choice by arrow keys survives a new list; editing the field ends it. */
function useNavigation({ field, picksFirst, picksWithTab = false }: Props, open: boolean, close: () => void) {
	const chosen = useRef<string | null>(null)
	useEffect(() => {
		if (!open) chosen.current = null
	}, [open])
	return useCallback(
		(list: HTMLElement | null) => {
			if (!list) return
			const navigation = new Navigation(field, list, {
				tabInsertsSuggestions: picksWithTab,
				firstOptionSelectionMode: picksFirst ? 'selected' : 'none',
			})
			navigation.start()
			if (!picksFirst) select(navigation, list, chosen.current)
			const isTextBox = field instanceof HTMLTextAreaElement
			if (isTextBox) for (const name of ['role', 'aria-expanded']) field.removeAttribute(name)
			// Before the library's listener, which did not exist when a composition began.
			const press = (event: Event) => {
				const { key, isComposing } = event as KeyboardEvent
				navigation.isComposing = isComposing
				if (key !== 'Escape' || isComposing) return
				close()
				// A dialog around the field stays open.
				event.preventDefault()
				event.stopPropagation()
			}
			field.addEventListener('keydown', press, { capture: true })
			return () => {
				chosen.current = list.querySelector<HTMLElement>('[aria-selected="true"]')?.dataset.key ?? null
				field.removeEventListener('keydown', press, { capture: true })
				if (isTextBox) return navigation.destroy()
				navigation.stop()
				field.removeAttribute('aria-controls')
			}
		},
		[field, picksFirst, picksWithTab, close],
	)
}

/** Selects the option with this key, if there is one. The library only moves by one. */
function select(navigation: Navigation, list: HTMLElement, key: string | null): void {
	const index = [...list.querySelectorAll<HTMLElement>('[role=option]')].findIndex(({ dataset }) => dataset.key === key)
	for (let moves = 0; moves <= index; moves += 1) navigation.navigate(1)
}

interface GroupProps extends SuggestionGroup {
	children: (suggestion: Suggestion) => ReactNode
}

function Group({ name, options, children }: GroupProps) {
	if (options.length === 0) return null
	const drawn = options.map(children)
	if (!name) return <div className="p-1">{drawn}</div>
	return (
		// biome-ignore lint/a11y/useSemanticElements: a group of options within a listbox
		<div className="border-line not-first:border-t" role="group" aria-label={name}>
			<p className="cat px-3.5 pt-3 pb-1" aria-hidden="true">
				{name}
			</p>
			<div className="px-1 pb-1">{drawn}</div>
		</div>
	)
}

interface OptionProps {
	id: string
	/** Identifies it in a list that replaces this one. */
	suggestionKey: string
	suggestion: Suggestion
	/** The typed text, which is highlighted. */
	text: string
	onPick: () => void
}

/** One suggestion. The library chooses it by `aria-selected` and takes it by a click. The pointer does not move the focus. */
function Option({ id, suggestionKey, suggestion, text, onPick }: OptionProps) {
	const { value, note, own, href, content } = suggestion
	const options = {
		className: `menu-item group/option ${content ? 'min-h-8' : ''}`,
		id,
		role: 'option',
		'data-key': suggestionKey,
		onPointerDown: (event: React.PointerEvent) => event.preventDefault(),
	}
	const inside = (
		<>
			{content}
			{own && <Icon of={Plus} />}
			{own && <span className="text-ink-2">Add “{value}”</span>}
			{!own && !content && (
				<span className="min-w-0">
					<Marked value={value} text={text} />
				</span>
			)}
			{note && <span className="meta ml-auto flex-none">{note}</span>}
			<span
				className={`kbd hidden flex-none group-aria-selected/option:inline-grid ${note || content ? '' : 'ml-auto'}`}
			>
				Enter
			</span>
		</>
	)
	if (href === undefined)
		return (
			// biome-ignore lint/a11y: the role is among the options, and the keys are those of the field
			<div {...options} onClick={onPick}>
				{inside}
			</div>
		)
	return (
		<Link
			{...options}
			to={href}
			tabIndex={-1}
			onClick={(event) => {
				if (event.ctrlKey || event.metaKey || event.shiftKey) return
				event.preventDefault()
				onPick()
			}}
		>
			{inside}
		</Link>
	)
}

function Marked({ value, text }: { value: string; text: string }) {
	const from = value.toLowerCase().indexOf(text.toLowerCase())
	if (from < 0) return value
	const to = from + text.length
	return (
		<>
			{value.slice(0, from)}
			<mark className="bg-marigold-wash text-ink">{value.slice(from, to)}</mark>
			{value.slice(to)}
		</>
	)
}
