import { type ReactNode, Suspense, useRef, useState } from 'react'
import { lazyWithRetry } from '~/shell/guarded.ts'
import { Form } from '~/ui/link.tsx'
import { useSearchFromAddress } from '~/ui/use-from-address.ts'
import { MAX_SEARCH_LENGTH, type SearchKind, searchRoute } from '../finder.paths.ts'

const FoundList = lazyWithRetry(() => import('./found-list.tsx'))

interface SearchFieldProps {
	/** The present search. */
	q?: string
	/** The kind to search; null for everything. */
	kind?: SearchKind | null
	/** At the end of the field. */
	children?: ReactNode
}

/** The search field: a form that works without scripts. With scripts it shows suggestions, loaded on first focus. */
export function SearchField({ q = '', kind = null, children }: SearchFieldProps) {
	const input = useRef<HTMLInputElement>(null)
	const [text, setText] = useState<string | null>(null)

	useSearchFromAddress(input, q, () => {
		if (input.current) input.current.value = q
	})

	const read = () => setText(input.current?.value.trim() ?? '')
	return (
		<Form className="relative" role="search" aria-label="Site" action={searchRoute}>
			{kind && <input type="hidden" name="in" value={kind} />}
			<div className="input-box" data-icon="search">
				<input
					ref={input}
					type="search"
					name="q"
					role="combobox"
					aria-autocomplete="list"
					aria-expanded={false}
					autoComplete="off"
					aria-label="Search the site"
					aria-keyshortcuts="Control+K Meta+K"
					placeholder="Search"
					autoCapitalize="none"
					maxLength={MAX_SEARCH_LENGTH}
					defaultValue={q}
					onFocus={read}
					onInput={read}
				/>
				{children}
			</div>
			{text !== null && input.current && (
				<Suspense>
					<FoundList field={input.current} text={text || null} />
				</Suspense>
			)}
		</Form>
	)
}
