import { Plus } from 'lucide-react'
import type { Suggestion } from './use-suggestions.ts'

interface SuggestionListProps {
	id: string
	label: string
	list: Suggestion[]
	/** Whether there is something to pick. */
	shown: boolean
	/** Whether the suggestions for what was typed did not come. */
	failed: boolean
	/** The place of the active one, or -1. */
	at: number
	/** What was typed; its place in a suggestion is marked. */
	text: string
	onPick: (suggestion: Suggestion) => void
}

const failure = 'Suggestions are not available right now.'

/** The list under a combobox, also while it is closed. The pointer may press it: focus stays in the field. */
export function SuggestionList({ shown, failed, ...options }: SuggestionListProps) {
	return (
		<>
			{(shown || failed) && (
				<div className="popup menu absolute inset-x-0 top-full z-(--z-popover) mt-1.5 max-h-80 max-w-96 overflow-y-auto">
					{shown && <Options {...options} />}
					{failed && (
						<p className="meta px-2.5 py-1.5" aria-hidden="true">
							{failure}
						</p>
					)}
				</div>
			)}
			<span className="sr-only" role="status">
				{failed && failure}
			</span>
		</>
	)
}

function Options({ id, label, list, at, text, onPick }: Omit<SuggestionListProps, 'shown' | 'failed'>) {
	return (
		<div id={id} role="listbox" aria-label={label}>
			{list.map((suggestion, index) => (
				// biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/useFocusableInteractive: the keys are the combobox's
				<div
					key={suggestion.own ? 'add' : suggestion.value}
					className="menu-item"
					id={`${id}-${index}`}
					role="option"
					aria-selected={index === at}
					data-highlighted={index === at || undefined}
					ref={index === at ? intoView : undefined}
					onPointerDown={(event) => event.preventDefault()}
					onClick={() => onPick(suggestion)}
				>
					{suggestion.own ? (
						<>
							<Plus className="icon" aria-hidden="true" />
							<span className="text-ink-2">Add “{suggestion.value}”</span>
						</>
					) : (
						<>
							<span className="min-w-0">
								<Marked value={suggestion.value} text={text} />
							</span>
							{suggestion.note && <span className="meta ml-auto flex-none">{suggestion.note}</span>}
						</>
					)}
					{index === at && <span className={`kbd flex-none${suggestion.note ? '' : ' ml-auto'}`}>Enter</span>}
				</div>
			))}
		</div>
	)
}

function Marked({ value, text }: { value: string; text: string }) {
	const from = value.toLowerCase().indexOf(text.trim().toLowerCase())
	if (from < 0) return value
	const to = from + text.trim().length
	return (
		<>
			{value.slice(0, from)}
			<mark className="bg-marigold-wash text-ink">{value.slice(from, to)}</mark>
			{value.slice(to)}
		</>
	)
}

function intoView(option: HTMLElement | null): void {
	option?.scrollIntoView({ block: 'nearest' })
}
