import { X } from 'lucide'
import { type KeyboardEvent, type MouseEvent, useEffect, useEffectEvent, useRef, useState } from 'react'
import { comboboxAttributes, Suggestions } from '~/ui/combobox.tsx'
import { Icon } from '~/ui/icon.tsx'
import { Link } from '~/ui/link.tsx'
import type { Suggestion } from '~/ui/suggestions.tsx'
import { type Criteria, communityPath } from '../directory.paths.ts'
import { FilterGroupContent, filterGroup } from './filter-group.tsx'

interface SkillFilterProps {
	criteria: Criteria
	/** Called when the form has other skills: as for any other filter, they apply at once or wait for the sheet's button. */
	onChange: () => void
}

/** The skills that all listed members have: chips with links that remove them, and a field that adds one. */
export function SkillFilter({ criteria, onChange }: SkillFilterProps) {
	const input = useRef<HTMLInputElement>(null)
	const [text, setText] = useState('')
	const here = communityPath(criteria)
	// Until the address has them too.
	const [chosen, setChosen] = useState<{ at: string; skills: string[] } | null>(null)
	if (chosen && chosen.at !== here) setChosen(null)
	const skills = chosen?.at === here ? chosen.skills : criteria.skills
	const choose = (next: string[]) => setChosen({ at: here, skills: next })
	const change = useEffectEvent(onChange)
	useEffect(() => {
		if (chosen) change()
	}, [chosen])
	const pathWith = (skills: string[]) => communityPath({ ...criteria, skills })
	const remove = (event: MouseEvent, left: string[]) => {
		if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
		event.preventDefault()
		input.current?.focus()
		choose(left)
	}
	const add = (value: string) => {
		setText('')
		if (input.current) input.current.value = ''
		choose([...new Set([...skills, value])])
	}
	const press = (event: KeyboardEvent<HTMLInputElement>) => {
		if (event.defaultPrevented || event.nativeEvent.isComposing || event.key !== 'Enter') return
		event.preventDefault()
		const typed = event.currentTarget.value.trim()
		if (typed) add(typed)
	}
	return (
		<fieldset className={filterGroup}>
			<FilterGroupContent
				title="Skills"
				aside={
					skills.length > 0 && (
						<Link
							className="quiet-link"
							to={pathWith([])}
							preventScrollReset
							aria-label="Clear skills"
							onClick={(event) => remove(event, [])}
						>
							Clear
						</Link>
					)
				}
			>
				<div className="relative mb-2">
					<div className="input-box">
						{skills.map((skill) => {
							const others = skills.filter((other) => other !== skill)
							return (
								<Chip key={skill} skill={skill} to={pathWith(others)} onRemove={(event) => remove(event, others)} />
							)
						})}
						<input
							ref={input}
							name="skill"
							{...comboboxAttributes}
							aria-label="Add a skill"
							placeholder="Add a skill"
							autoCapitalize="none"
							onChange={(event) => {
								// Only a chosen skill changes the list, not each typed letter.
								event.stopPropagation()
								setText(event.target.value)
							}}
							onKeyDown={press}
						/>
					</div>
					<Suggestions<{ suggestions: Suggestion[] }>
						field={input}
						label="Skills"
						source="/suggest/known-skills?q="
						text={text.trim() || null}
						picksFirst
						groupsOf={(answer) => [
							{ options: answer?.suggestions.filter(({ value }) => !skills.includes(value)) ?? [] },
						]}
						onPick={({ value }) => add(value)}
					/>
				</div>
			</FilterGroupContent>
		</fieldset>
	)
}

/** @param to the list without this skill */
function Chip({ skill, to, onRemove }: { skill: string; to: string; onRemove: (event: MouseEvent) => void }) {
	return (
		<span className="chip max-w-full" data-selected>
			<span className="truncate">{skill}</span>
			<Link
				className="-mr-2 grid size-6 flex-none place-items-center text-ink-3 hover:text-red"
				to={to}
				preventScrollReset
				onClick={onRemove}
				aria-label={`Remove ${skill}`}
			>
				<Icon of={X} className="icon-sm" />
			</Link>
			<input type="hidden" name="skill" value={skill} />
		</span>
	)
}
