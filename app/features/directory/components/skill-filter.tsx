import { X } from 'lucide'
import { type KeyboardEvent, type MouseEvent, useEffect, useEffectEvent, useRef, useState } from 'react'
import { useNavigate } from 'react-router'
import { comboboxAttributes, Suggestions } from '~/ui/combobox.tsx'
import { Icon } from '~/ui/icon.tsx'
import { Link } from '~/ui/link.tsx'
import type { Suggestion } from '~/ui/suggestions.tsx'
import { type Criteria, communityPath } from '../directory.paths.ts'
import { FilterGroup } from './filter-group.tsx'
import { isRail } from './use-filter-form.ts'

interface SkillFilterProps {
	criteria: Criteria
	/** Called when chosen skills wait for the sheet's button. */
	onStage: () => void
}

/**
 * The skills that all listed members have: chips with links that remove them, and a field that adds one. Like all filters, they
 * apply at once in the sidebar, and wait for the button in the sheet of small screens.
 */
export function SkillFilter({ criteria, onStage }: SkillFilterProps) {
	const navigate = useNavigate()
	const input = useRef<HTMLInputElement>(null)
	const [text, setText] = useState('')
	const here = communityPath(criteria)
	const [staged, setStaged] = useState<{ at: string; skills: string[] } | null>(null)
	const skills = staged?.at === here ? staged.skills : criteria.skills
	const stage = useEffectEvent(onStage)
	useEffect(() => {
		if (staged) stage()
	}, [staged])
	const with_ = (chosen: string[]) => communityPath({ ...criteria, skills: chosen })
	const choose = (chosen: string[]) => {
		if (isRail()) navigate(with_(chosen), { preventScrollReset: true })
		else setStaged({ at: here, skills: chosen })
	}
	const follow = (event: MouseEvent, chosen: string[]) => {
		if (isRail()) return
		event.preventDefault()
		input.current?.focus()
		choose(chosen)
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
		<FilterGroup
			title="Skills"
			aside={
				skills.length > 0 && (
					<Link
						className="quiet-link"
						to={with_([])}
						preventScrollReset
						aria-label="Clear skills"
						onClick={(event) => follow(event, [])}
					>
						Clear
					</Link>
				)
			}
		>
			<div className="relative mb-2">
				<div className="input-box">
					{skills.map((skill) => (
						<span key={skill} className="chip max-w-full" data-selected>
							<span className="truncate">{skill}</span>
							<Link
								className="-mr-2 grid size-6 flex-none place-items-center text-ink-3 hover:text-red"
								to={with_(skills.filter((other) => other !== skill))}
								preventScrollReset
								onClick={(event) =>
									follow(
										event,
										skills.filter((other) => other !== skill),
									)
								}
								aria-label={`Remove ${skill}`}
							>
								<Icon of={X} className="icon-sm" />
							</Link>
							<input type="hidden" name="skill" value={skill} />
						</span>
					))}
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
					groupsOf={(answer) => [{ options: answer?.suggestions.filter(({ value }) => !skills.includes(value)) ?? [] }]}
					onPick={({ value }) => add(value)}
				/>
			</div>
		</FilterGroup>
	)
}
