import { Search } from 'lucide-react'
import { type FormEvent, useEffect, useRef } from 'react'
import { Form, useNavigate } from 'react-router'
import { withParams } from '~/lib/addresses.ts'

/** Milliseconds after the last key. */
const debounce = 300

interface SearchFormProps {
	/** The list that is searched. */
	pathname: string
	/** What is searched for now, or ''. */
	search: string
}

/** Searches a list: a form that works by itself, and that searches while the reader types where scripts run. */
export function SearchForm({ pathname, search }: SearchFormProps) {
	const navigate = useNavigate()
	const input = useRef<HTMLInputElement>(null)
	const timer = useRef<ReturnType<typeof setTimeout>>(undefined)

	// The box follows the address (a cleared search, going back), but never under the reader's fingers.
	useEffect(() => {
		if (input.current && document.activeElement !== input.current) input.current.value = search
	}, [search])
	// biome-ignore lint/correctness/useExhaustiveDependencies: a search that waits does not follow the reader to another list
	useEffect(() => () => clearTimeout(timer.current), [pathname])

	const go = () => {
		clearTimeout(timer.current)
		const wanted = input.current?.value.trim() ?? ''
		if (wanted !== search) navigate(withParams(pathname, { q: wanted }), { replace: true, preventScrollReset: true })
	}
	const wait = (event: FormEvent) => {
		clearTimeout(timer.current)
		if (!(event.nativeEvent as InputEvent).isComposing) timer.current = setTimeout(go, debounce)
	}
	const submit = (event: FormEvent) => {
		event.preventDefault()
		go()
	}

	return (
		<search className="mt-4 block">
			<Form method="get" action={pathname} onSubmit={submit}>
				<div className="input-box">
					<Search className="icon" aria-hidden="true" />
					<input
						ref={input}
						type="search"
						name="q"
						aria-label="Search topics"
						placeholder="Search topics..."
						maxLength={200}
						autoComplete="off"
						defaultValue={search}
						onInput={wait}
						onCompositionEnd={wait}
					/>
				</div>
			</Form>
		</search>
	)
}
