import { Link } from '~/ui/link.tsx'
import { RuleHead } from '~/ui/rule-head.tsx'
import { type SearchKind, searchPath } from '../finder.paths.ts'

const examples: { q: string; kind?: SearchKind; what: string }[] = [
	{ q: 'react 3rd year', kind: 'people', what: 'people who know React and are in their third year' },
	{ q: 'tag:python is:unanswered', kind: 'questions', what: 'queries about Python that nobody answered' },
	{ q: 'list in:title -java', kind: 'questions', what: 'queries with “list” in the title that do not mention Java' },
	{ q: '"for loop" in:comments', kind: 'questions', what: 'comments with these very words' },
	{ q: 'tag:javascript', kind: 'projects', what: 'projects built with JavaScript, in whatever spelling' },
]

/** What can be searched for, as searches that work. */
export function SearchStart() {
	return (
		<section className="mt-8" aria-labelledby="examples">
			<RuleHead id="examples" title="Search for people, queries, projects and tags" />
			<ul>
				{examples.map(({ q, kind, what }) => (
					<li key={q} className="flex flex-wrap items-baseline gap-x-4 border-b border-line py-2.5">
						<Link className="link font-mono text-sm" to={searchPath(q, kind)}>
							{q}
						</Link>
						<span className="text-ink-2">{what}</span>
					</li>
				))}
			</ul>
			<p className="mt-4 max-w-[44rem] text-ink-2 noscript:hidden">
				<kbd className="kbd">Ctrl K</kbd> or <kbd className="kbd">⌘ K</kbd> opens this search on any page, with your own
				pages and conversations.
			</p>
		</section>
	)
}
