import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { studiesText } from '~/features/members/members.view.ts'
import { counted } from '~/lib/text.ts'
import { Avatar } from '~/ui/avatar.tsx'
import { PresenceWords } from '~/ui/presence.tsx'
import type { SuggestionsView } from '../directory.view.ts'
import type { Entry } from './entries.ts'
import { Marked } from './marked.tsx'

interface SuggestionsPopupProps {
	id: string
	entries: Entry[]
	suggestions: SuggestionsView
	/** What was typed; its words are marked. */
	text: string
	/** The active entry, or -1. */
	at: number
	onPick: (entry: Entry) => void
}

/** The list under the header's search: people, skills and universities. Focus stays in the box. */
export function SuggestionsPopup({ id, entries, suggestions, text, at, onPick }: SuggestionsPopupProps) {
	const { people, skills, universities } = suggestions
	const option = (index: number, className: string, children: ReactNode) => {
		const entry = entries[index]
		if (!entry) return null
		return (
			<Link
				key={entry.key}
				className={`menu-item ${className}`}
				id={`${id}-${index}`}
				role="option"
				tabIndex={-1}
				aria-selected={index === at}
				data-highlighted={index === at || undefined}
				to={entry.href}
				onPointerDown={(event) => event.preventDefault()}
				onClick={(event) => {
					if (event.ctrlKey || event.metaKey || event.shiftKey) return
					event.preventDefault()
					onPick(entry)
				}}
			>
				{children}
				{index === at && <span className="kbd flex-none">Enter</span>}
			</Link>
		)
	}
	return (
		<div
			className="popup absolute inset-x-0 top-full z-(--z-popover) mt-1.5 max-h-[calc(100dvh-5rem)] overflow-y-auto"
			id={id}
			role="listbox"
			aria-label="Suggestions"
		>
			<Group name="People">
				{people.map((person, index) =>
					option(
						index,
						'gap-3 py-1.5',
						<>
							<Avatar user={person} size={32} online={person.online} />
							<span className="min-w-0 flex-1">
								<span className="block truncate leading-5 font-semibold">
									<Marked text={text}>{person.name}</Marked>
									<PresenceWords online={person.online} />
								</span>
								<span className="meta block truncate">
									<Marked text={text}>{aboutPerson(person)}</Marked>
								</span>
							</span>
						</>,
					),
				)}
			</Group>
			<Group name="Skills">
				{skills.map(({ name, count }, index) =>
					option(people.length + index, 'min-h-8', <Named name={name} count={count} text={text} />),
				)}
			</Group>
			<Group name="Universities">
				{universities.map(({ name, count }, index) =>
					option(people.length + skills.length + index, 'min-h-8', <Named name={name} count={count} text={text} />),
				)}
			</Group>
		</div>
	)
}

function Group({ name, children }: { name: string; children: ReactNode[] }) {
	if (children.length === 0) return null
	return (
		// biome-ignore lint/a11y/useSemanticElements: a group of options within a listbox
		<div className="border-line not-first:border-t" role="group" aria-label={name}>
			<p className="cat px-3.5 pt-3 pb-1" aria-hidden="true">
				{name}
			</p>
			<div className="px-1 pb-1">{children}</div>
		</div>
	)
}

function Named({ name, count, text }: { name: string; count: number; text: string }) {
	return (
		<>
			<span className="min-w-0 truncate">
				<Marked text={text}>{name}</Marked>
			</span>
			<span className="num ml-auto flex-none text-xs text-ink-3">{counted(count, 'person', 'people')}</span>
		</>
	)
}

/** “React, Node · CSE, 2nd year” */
function aboutPerson({ skills, studies, university }: SuggestionsView['people'][number]): string {
	const place = studiesText({ ...studies, semester: null }) || university
	return [skills.join(', '), place].filter(Boolean).join(' · ')
}
