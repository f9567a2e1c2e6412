import { studiesText } from '~/features/members/members.view.ts'
import { pluralize } from '~/lib/text.ts'
import { Avatar } from '~/ui/avatar.tsx'
import { PresenceText } from '~/ui/presence.tsx'
import type { SuggestionGroup } from '~/ui/suggestions.tsx'
import { type Criteria, communityPath, NO_CRITERIA } from '../directory.paths.ts'
import type { SuggestionsView } from '../directory.view.ts'

/** The name of the group whose suggestions are profiles. Those of other groups narrow the list. */
export const PEOPLE = 'People'

/**
 * The suggestions of the header's search: people, skills and universities.
 * @param answer null for none
 * @param criteria of the current list; a suggested skill is added to them
 * @param text what was typed; its words are highlighted
 */
export function suggestionGroups(answer: SuggestionsView | null, criteria: Criteria, text: string): SuggestionGroup[] {
	if (!answer) return []
	const { people, skills, universities } = answer
	const withSkill = (name: string) =>
		communityPath({ ...criteria, q: '', skills: [...new Set([...criteria.skills, name])] })
	return [
		{
			name: PEOPLE,
			options: people.map((person) => ({
				value: person.username,
				href: `/find-dev/${person.username}`,
				content: <Person person={person} text={text} />,
			})),
		},
		{
			name: 'Skills',
			options: skills.map(({ name, count }) => ({
				value: name,
				href: withSkill(name),
				content: <Named name={name} count={count} text={text} />,
			})),
		},
		{
			name: 'Universities',
			options: universities.map(({ name, count }) => ({
				value: name,
				href: communityPath({ ...NO_CRITERIA, universities: [name] }),
				content: <Named name={name} count={count} text={text} />,
			})),
		},
	]
}

function Person({ person, text }: { person: SuggestionsView['people'][number]; text: string }) {
	return (
		<>
			<Avatar user={person} size={32} online={person.online} />
			<span className="min-w-0 flex-1 py-1.5">
				<span className="block truncate leading-5 font-semibold">
					<HighlightedText text={text}>{person.name}</HighlightedText>
					<PresenceText online={person.online} />
				</span>
				<span className="meta block truncate">
					<HighlightedText text={text}>{aboutPerson(person)}</HighlightedText>
				</span>
			</span>
		</>
	)
}

function Named({ name, count, text }: { name: string; count: number; text: string }) {
	return (
		<>
			<span className="min-w-0 truncate">
				<HighlightedText text={text}>{name}</HighlightedText>
			</span>
			<span className="num ml-auto flex-none text-xs text-ink-3">{pluralize(count, 'person', 'people')}</span>
		</>
	)
}

/** “React, Node · CSE, 2nd year” */
function aboutPerson({ skills, studies, university }: SuggestionsView['people'][number]): string {
	const place = studiesText({ ...studies, semester: null }) || university
	return [skills.join(', '), place].filter(Boolean).join(' · ')
}

/** A text in which the beginnings of typed words are highlighted. */
export function HighlightedText({ children, text }: { children: string; text: string }) {
	return splitMatches(children, text).map((part) =>
		part.isMatch ? (
			<mark key={part.from} className="bg-marigold-wash text-ink">
				{part.text}
			</mark>
		) : (
			part.text
		),
	)
}

interface Part {
	text: string
	isMatch: boolean
	/** Where it begins. */
	from: number
}

/** Splits a text where typed words match the beginning of its words, ignoring case. */
export function splitMatches(text: string, typed: string): Part[] {
	const words = typed.split(/[\s,]+/).filter(Boolean)
	if (words.length === 0) return [{ text, isMatch: false, from: 0 }]
	const pattern = words
		.toSorted((one, other) => other.length - one.length)
		.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
		.join('|')
	const parts: Part[] = []
	let end = 0
	for (const match of text.matchAll(new RegExp(`(?<![\\p{L}\\p{M}\\p{N}])(${pattern})`, 'giu'))) {
		if (match.index > end) parts.push({ text: text.slice(end, match.index), isMatch: false, from: end })
		parts.push({ text: match[0], isMatch: true, from: match.index })
		end = match.index + match[0].length
	}
	if (end < text.length) parts.push({ text: text.slice(end), isMatch: false, from: end })
	return parts
}
