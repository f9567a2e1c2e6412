import { X } from 'lucide-react'
import { type KeyboardEvent, useRef, useState } from 'react'
import { Link, useNavigate } from 'react-router'
import { SuggestionList } from '~/ui/suggestion-list.tsx'
import { type Suggestion, useSuggestions } from '~/ui/use-suggestions.ts'
import { communityPath, type Wish } from '../directory.paths.ts'
import { FilterGroup } from './filter-group.tsx'

const listId = 'skill-filter-list'

/** The skills that everybody in the list has: chips with links that take them away, and a field that adds one. */
export function SkillFilter({ wish }: { wish: Wish }) {
	const navigate = useNavigate()
	const input = useRef<HTMLInputElement>(null)
	const [text, setText] = useState('')
	const with_ = (skills: string[]) => communityPath({ ...wish, skills })
	const add = (value: string) => {
		setText('')
		if (input.current) input.current.value = ''
		navigate(with_([...new Set([...wish.skills, value])]), { preventScrollReset: true })
	}
	const { list, shown, at, pick, onKey, close, show } = useSuggestions({
		source: '/suggest/known-skills',
		text,
		eager: true,
		shape: (found) => found.filter(({ value }) => !wish.skills.includes(value)),
		onPick: ({ value }: Suggestion) => add(value),
	})
	const press = (event: KeyboardEvent<HTMLInputElement>) => {
		if (onKey(event) || event.nativeEvent.isComposing || event.key !== 'Enter') return
		event.preventDefault()
		const typed = event.currentTarget.value.trim()
		if (typed) add(typed)
	}
	return (
		<FilterGroup
			title="Skills"
			aside={
				wish.skills.length > 0 && (
					<Link className="quiet-link" to={with_([])} preventScrollReset aria-label="Clear skills">
						Clear
					</Link>
				)
			}
		>
			<div className="relative mb-2">
				<div className="input-box">
					{wish.skills.map((skill) => (
						<span key={skill} className="chip max-w-full" data-selected>
							<span className="truncate">{skill}</span>
							<Link
								className="-mr-2 grid size-6 flex-none place-items-center text-ink-3 hover:text-red"
								to={with_(wish.skills.filter((other) => other !== skill))}
								preventScrollReset
								aria-label={`Remove ${skill}`}
							>
								<X className="icon icon-sm" aria-hidden="true" />
							</Link>
							<input type="hidden" name="skill" value={skill} />
						</span>
					))}
					<input
						ref={input}
						name="skill"
						role="combobox"
						aria-label="Add a skill"
						aria-autocomplete="list"
						aria-expanded={shown}
						aria-controls={shown ? listId : undefined}
						aria-activedescendant={at >= 0 ? `${listId}-${at}` : undefined}
						placeholder="Add a skill"
						autoComplete="off"
						autoCapitalize="none"
						onChange={(event) => {
							// Only what is chosen changes the list, not each letter on the way to it.
							event.stopPropagation()
							setText(event.target.value)
							show()
						}}
						onKeyDown={press}
						onBlur={close}
					/>
				</div>
				{shown && <SuggestionList id={listId} label="Skills" list={list} at={at} text={text} onPick={pick} />}
			</div>
		</FilterGroup>
	)
}
