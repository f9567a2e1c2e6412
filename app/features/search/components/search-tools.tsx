import { X } from 'lucide-react'
import { Link } from 'react-router'
import { withParams } from '~/lib/addresses.ts'
import type { SearchTools } from '../search.view.ts'

const operators = [
	['tag:java', 'has this tag'],
	['category:python', 'stands in this category'],
	['user:name', 'was asked by this member'],
	['is:solved', 'has a solution'],
	['is:unanswered', 'has no comment'],
	['"event loop"', 'these words beside each other'],
	['-word', 'without this; also -tag:java'],
] as const

/** How to search for more than words, unfolded by who wants to know. */
export function SearchHelp() {
	return (
		<details className="mt-1.5 text-xs text-ink-3">
			<summary className="quiet-link w-fit py-1">Search tips</summary>
			<dl className="mt-1 grid grid-cols-[auto_1fr] gap-x-4 gap-y-1">
				{operators.map(([example, meaning]) => (
					<div key={example} className="contents">
						<dt className="font-mono text-ink-2">{example}</dt>
						<dd>{meaning}</dd>
					</div>
				))}
			</dl>
		</details>
	)
}

/** What narrows a search, each a link to the search without it, and the spelling that may have been meant. */
export function SearchToolsBar({ tools, pathname }: { tools: SearchTools | null; pathname: string }) {
	if (!tools) return null
	const { operators: active, instead } = tools
	return (
		<>
			{active.length > 0 && (
				<ul className="mt-2 flex flex-wrap gap-2" aria-label="Narrowed by">
					{active.map(({ text, without }) => (
						<li key={text} className="min-w-0">
							<Link className="chip max-w-full" to={withParams(pathname, { q: without })} aria-label={`Remove ${text}`}>
								<span className="truncate">{text}</span> <X className="icon icon-sm flex-none" aria-hidden="true" />
							</Link>
						</li>
					))}
				</ul>
			)}
			{instead && (
				<p className="mt-3 wrap-anywhere">
					Did you mean: <Link to={withParams(pathname, { q: instead })}>{instead}</Link>
				</p>
			)}
		</>
	)
}
