import { useEffect } from 'react'
import { useNavigate } from 'react-router'
import { useRootData } from '~/lib/root-data.ts'
import { pluralize } from '~/lib/text.ts'
import { Avatar } from '~/ui/avatar.tsx'
import { readStored, writeStored } from '~/ui/form-kit.ts'
import SuggestionList, { type Suggestion, type SuggestionGroup } from '~/ui/suggestions.tsx'
import { MAX_RECENT_SEARCHES, SWITCHER_DEBOUNCE_MS, searchPath } from '../finder.paths.ts'
import type { EverythingView } from '../finder.view.ts'
import { pagesLike, pagesOf } from './pages.ts'

interface FoundListProps {
	field: HTMLInputElement
	/** The input; '' suggests recent searches, null nothing. */
	text: string | null
	/** Whether the list is part of a dialog rather than a popover. */
	isInDialog?: boolean
	/** Called when an item is chosen. */
	onPicked?: () => void
}

const PAGES = 'Pages'

/** Suggestions while typing: pages, own conversations, people, questions, projects and tags. */
export default function FoundList({ field, text, isInDialog = false, onPicked }: FoundListProps) {
	const navigate = useNavigate()
	const { viewer } = useRootData()
	const me = viewer?.username ?? null
	useEffect(() => {
		const keep = () => rememberSearch(field.value.trim(), me)
		field.form?.addEventListener('submit', keep)
		return () => field.form?.removeEventListener('submit', keep)
	}, [field, me])
	const groups = (answer: EverythingView | null, typed: string): SuggestionGroup[] => {
		const pages = pagesOf(viewer)
		if (typed === '')
			return [
				{ name: 'Recent searches', options: recentSearches().map((q) => ({ value: q, href: searchPath(q) })) },
				{ name: PAGES, options: pages.filter(({ isOnlyTyped }) => !isOnlyTyped).map(pageOption) },
			]
		return [
			{ name: PAGES, options: pagesLike(pages, typed).map(pageOption) },
			...(answer ? groupsOf(answer) : []),
			{ options: [{ value: 'all', href: searchPath(typed), content: <All text={typed} /> }] },
		]
	}
	return (
		<SuggestionList
			field={field}
			label="Results"
			source="/suggest/everything?q="
			text={text}
			groupsOf={(answer, typed) => groups(answer as EverythingView | null, typed)}
			onPick={({ href = '' }, { name }) => {
				// A prefix of a page's name is not stored as a search.
				if (text && name !== PAGES) rememberSearch(text, me)
				field.blur()
				onPicked?.()
				navigate(href)
			}}
			opensOnFocus={isInDialog}
			isInline={isInDialog}
			debounceMs={SWITCHER_DEBOUNCE_MS}
			asksAtOnce
			announcement={(count) => pluralize(count, 'suggestion')}
			failure={null}
		/>
	)
}

/** Stored in this browser only, and cleared with the member's other data. */
const RECENT = 'recent-searches'

function recentSearches(): string[] {
	const stored = readStored(RECENT)
	return Array.isArray(stored) ? stored.filter((each) => typeof each === 'string').slice(0, MAX_RECENT_SEARCHES) : []
}

function rememberSearch(q: string, me: string | null): void {
	const others = recentSearches().filter((other) => other !== q)
	if (q) writeStored(RECENT, [q, ...others].slice(0, MAX_RECENT_SEARCHES), me)
}

const pageOption = ({ title, url }: { title: string; url: string }): Suggestion => ({
	value: url,
	href: url,
	content: <span className="truncate">{title}</span>,
})

function groupsOf({ conversations, people, questions, projects, tags }: EverythingView): SuggestionGroup[] {
	return [
		{ name: 'Conversations', options: conversations.map(named) },
		{ name: 'People', options: people.map(named) },
		{ name: 'Queries', options: questions.map(named) },
		{
			name: 'Projects',
			options: projects.map((project) => ({ ...named(project), value: project.url + project.title })),
		},
		{ name: 'Tags', options: tags.map(named) },
	]
}

interface Named {
	title: string
	url: string
	note: string
	username?: string
	image?: string | null
}

function named({ title, url, note, username, image = null }: Named): Suggestion {
	return {
		value: url,
		href: url,
		content: (
			<>
				{username && <Avatar user={{ username, name: title, image }} size={24} />}
				<span className="min-w-0 flex-1 truncate">
					<bdi>{title}</bdi>
				</span>
				<span className="meta max-w-[45%] truncate">{note}</span>
			</>
		),
	}
}

function All({ text }: { text: string }) {
	return (
		<span className="truncate text-ink-2">
			All results for “<bdi>{text}</bdi>”
		</span>
	)
}
