import { Search, X } from 'lucide'
import { type KeyboardEvent, useEffect, useRef } from 'react'
import { useLocation, useSearchParams } from 'react-router'
import { comboboxAttributes, Suggestions } from '~/ui/combobox.tsx'
import { Icon } from '~/ui/icon.tsx'
import { Form } from '~/ui/link.tsx'
import {
	CLOSE_DELAY_MS,
	criteriaFields,
	criteriaOf,
	MAX_MEMBER_SEARCH_LENGTH,
	NO_CRITERIA,
	SEARCH_DEBOUNCE_MS,
} from '../directory.paths.ts'
import type { SuggestionsView } from '../directory.view.ts'
import { PEOPLE, suggestionGroups } from './suggestion-groups.tsx'
import { useDeveloperSearch } from './use-developer-search.ts'

const sheetId = 'search-sheet'

/** The search of the community in the header: a field where there is room, else a button that opens one below the header. */
export function DeveloperSearch() {
	const sheet = useRef<HTMLDivElement>(null)
	return (
		<>
			<search className="relative ml-auto hidden min-w-0 max-w-96 flex-1 md:block">
				<SearchBox />
			</search>
			<button
				type="button"
				className="icon-btn ml-auto max-md:size-11 md:hidden max-[16rem]:hidden"
				aria-label="Search"
				popoverTarget={sheetId}
			>
				<Icon of={Search} className="icon-lg" />
			</button>
			<div
				ref={sheet}
				className="search-sheet md:hidden"
				id={sheetId}
				popover="auto"
				onToggle={(event) => event.newState === 'open' && sheet.current?.querySelector('input')?.focus()}
			>
				<search className="relative block">
					<SearchBox />
				</search>
			</div>
		</>
	)
}

/** A search form that works without scripts, and shows suggestions while typing where they run. */
function SearchBox() {
	const { pathname } = useLocation()
	const [params] = useSearchParams()
	const criteria = pathname === '/find-dev' ? criteriaOf(params) : NO_CRITERIA
	const { input, text, wanted, handlers, clear, follow } = useDeveloperSearch(criteria)
	useSlashKey(input)
	return (
		<Form method="get" action="/find-dev" onSubmit={handlers.onSubmit}>
			{criteriaFields({ ...criteria, q: '' }).map(([name, value]) => (
				<input key={`${name}=${value}`} type="hidden" name={name} value={value} />
			))}
			<div className="input-box">
				<Icon of={Search} />
				<input
					ref={input}
					className="[&::-webkit-search-cancel-button]:hidden"
					type="search"
					name="q"
					{...comboboxAttributes}
					aria-label="Search people and skills"
					placeholder="Search people and skills"
					autoCapitalize="none"
					spellCheck={false}
					maxLength={MAX_MEMBER_SEARCH_LENGTH}
					defaultValue={criteria.q}
					{...handlers.input}
				/>
				{text ? (
					<button
						type="button"
						className="icon-btn icon-btn-sm -mr-1 noscript:hidden"
						aria-label="Clear search"
						onClick={clear}
					>
						<Icon of={X} className="icon-sm" />
					</button>
				) : (
					<kbd className="kbd max-md:hidden">/</kbd>
				)}
			</div>
			<Suggestions<SuggestionsView>
				field={input}
				label="Suggestions"
				source="/suggest/developers?q="
				text={wanted}
				groupsOf={(answer, typed) => suggestionGroups(answer, criteria, typed)}
				onPick={({ href = '' }, { name }) => follow(href, name !== PEOPLE)}
				opensOnFocus
				debounceMs={SEARCH_DEBOUNCE_MS}
				closeDelayMs={CLOSE_DELAY_MS}
				empty="No developers found"
			/>
		</Form>
	)
}

/** `/` focuses the search from anywhere on the page where nothing is being typed. */
function useSlashKey(input: React.RefObject<HTMLInputElement | null>): void {
	useEffect(() => {
		const press = (event: globalThis.KeyboardEvent | KeyboardEvent) => {
			const { target } = event
			const typing = target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable]')
			if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || typing) return
			// Only one of the two fields is visible.
			if (!input.current?.checkVisibility()) return
			event.preventDefault()
			input.current.focus()
			input.current.select()
		}
		document.addEventListener('keydown', press)
		return () => document.removeEventListener('keydown', press)
	}, [input])
}
