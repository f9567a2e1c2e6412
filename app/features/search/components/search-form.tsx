import { X } from 'lucide'
import { type FormEvent, Fragment, type RefObject, useEffect, useRef } from 'react'
import { createPath, useLocation, useNavigate, useNavigation } from 'react-router'
import { withParams } from '~/lib/addresses.ts'
import { Icon } from '~/ui/icon.tsx'
import { Form, Link } from '~/ui/link.tsx'
import { MemoMarkup } from '~/ui/memo-markup.tsx'
import { useSearchFromAddress } from '~/ui/use-from-address.ts'
import type { SearchTools } from '../search.view.ts'

/** Milliseconds after the last keystroke. */
const DEBOUNCE_MS = 300

interface SearchFormProps {
	/** The list that is searched. */
	pathname: string
	/** The current search, or ''. */
	search: string
	/** Other parameters of the list, which are kept. */
	params?: Record<string, string | null>
	/** The label of the field. */
	label?: string
}

/** Searches a list: a form that works without scripts; with scripts it searches while the reader types. */
export function SearchForm({ pathname, search, params = {}, label = 'Search topics' }: SearchFormProps) {
	const input = useRef<HTMLInputElement>(null)
	const { go, goSoon } = useSearchAsTyped(input, { pathname, search, params })
	const submit = (event: FormEvent) => {
		event.preventDefault()
		go()
	}
	return (
		<search className="mt-4 block">
			<Form method="get" action={pathname} onSubmit={submit}>
				{Object.entries(params).map(
					([name, value]) => value && <input key={name} type="hidden" name={name} value={value} />,
				)}
				<div className="input-box" data-icon="search">
					<input
						ref={input}
						type="search"
						name="q"
						aria-label={label}
						placeholder={`${label}...`}
						maxLength={200}
						autoComplete="off"
						defaultValue={search}
						onInput={goSoon}
						onCompositionEnd={goSoon}
					/>
				</div>
			</Form>
		</search>
	)
}

/** Opens the list's address with the text of the field, at once or after a pause in typing. */
function useSearchAsTyped(
	input: RefObject<HTMLInputElement | null>,
	{ pathname, search, params }: Required<Pick<SearchFormProps, 'pathname' | 'search' | 'params'>>,
) {
	const navigate = useNavigate()
	const here = createPath(useLocation())
	const { location: next } = useNavigation()
	const target = next ? createPath(next) : here
	const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
	const asked = useRef({ address: '', search: '' })
	const latest = useRef(search)
	// A search whose results are still loading counts already: clearing the field has to end it.
	latest.current = target !== here && target === asked.current.address ? asked.current.search : search

	const stop = () => {
		clearTimeout(timer.current)
		timer.current = undefined
	}
	// A pending search would undo a link that the reader follows in the meantime.
	useEffect(() => {
		if (target === asked.current.address) return
		clearTimeout(timer.current)
		timer.current = undefined
	}, [target])
	// Another list may have the same search.
	useSearchFromAddress(input, here, () => {
		if (input.current && timer.current === undefined) input.current.value = search
	})

	const go = () => {
		stop()
		const wanted = input.current?.value.trim() ?? ''
		if (wanted === latest.current) return
		asked.current = { address: withParams(pathname, { q: wanted, ...params }), search: wanted }
		navigate(asked.current.address, { replace: true, preventScrollReset: true })
	}
	const goSoon = (event: FormEvent) => {
		stop()
		if (!(event.nativeEvent as InputEvent).isComposing) timer.current = setTimeout(go, DEBOUNCE_MS)
	}
	// biome-ignore lint/correctness/useExhaustiveDependencies: only for text that was typed before the scripts ran
	useEffect(() => {
		go()
		return stop
	}, [])

	return { go, goSoon }
}

const operators = [
	['tag:java', 'has this tag; also tag:c or tag:go'],
	['category:python', 'is in this category'],
	['user:name', 'was asked by this member'],
	['is:solved', 'has a solution'],
	['is:unsolved', 'has comments, and no solution'],
	['is:unanswered', 'has no comment'],
	['in:title', 'in the title; also in:text, in:comments'],
	['"event loop"', 'this exact phrase'],
	['-word', 'not this; also -tag:java'],
] as const

/** Explains the operators; collapsed initially. */
export function SearchHelp() {
	return <MemoMarkup as="details" className="mt-1.5 text-xs text-ink-3" of={Tips} with={{}} />
}

function Tips() {
	return (
		<>
			<summary className="quiet-link w-fit py-1">Search tips</summary>
			<dl className="mt-1 grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 [&>dt]:font-mono [&>dt]:text-ink-2">
				{operators.map(([example, meaning]) => (
					<Fragment key={example}>
						<dt>{example}</dt>
						<dd>{meaning}</dd>
					</Fragment>
				))}
			</dl>
		</>
	)
}

/** The sentences above results that match some of the words, by the number of results above them that match all. */
const anyWords = [
	'No query matches all of these words. Showing queries that match some of them.',
	'Only the first query matches all of these words. The others match some of them.',
	'Only the first two queries match all of these words. The others match some of them.',
]

interface SearchToolsBarProps {
	tools: SearchTools | null
	/** The list that is searched, and its other parameters. */
	pathname: string
	params?: Record<string, string | null>
}

/** The operators of a search, each linked to the search without it, how an `or` beside them is read, and a suggested spelling. */
export function SearchToolsBar({ tools, pathname, params = {} }: SearchToolsBarProps) {
	if (!tools) return null
	const { operators: active, ignoresOr, instead } = tools
	return (
		<>
			{active.length > 0 && (
				<ul className="mt-2 flex flex-wrap gap-2" aria-label="Search filters">
					{active.map(({ text, isAlternative, without }, index) => (
						// biome-ignore lint/suspicious/noArrayIndexKey: one tag may be an alternative to several others
						<li key={`${text} ${index}`} className="flex min-w-0 items-center gap-2">
							{isAlternative && <span className="text-sm text-ink-3">or</span>}
							<Link
								className="chip max-w-full"
								to={withParams(pathname, { q: without, ...params })}
								aria-label={`Remove ${text}`}
							>
								<span className="truncate">{text}</span> <Icon of={X} className="icon-sm flex-none" />
							</Link>
						</li>
					))}
				</ul>
			)}
			{ignoresOr && (
				<p className="mt-3" role="status">
					“or” joins words, or filters of one kind such as tags. Here everything is required.
				</p>
			)}
			{instead && (
				<p className="mt-3 wrap-anywhere" role="status">
					{instead.kind === 'corrected' ? (
						<>
							No exact matches. Showing results for{' '}
							<Link className="link" to={withParams(pathname, { q: instead.search, ...params })}>
								{instead.search}
							</Link>
							.
						</>
					) : (
						anyWords[instead.exact]
					)}
				</p>
			)}
		</>
	)
}
