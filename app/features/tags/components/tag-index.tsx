import { Link } from 'react-router'
import { withParams } from '~/lib/addresses.ts'
import { RuleHead } from '~/ui/rule-head.tsx'
import { tagPath } from '../tags.paths.ts'
import type { TagView } from '../tags.view.ts'

/** The most used tags, as the index at the back of a book. */
export function TagIndex({ tags, search }: { tags: TagView[]; search: string | null }) {
	return (
		<section aria-labelledby="tags">
			<RuleHead id="tags" title="Tags">
				<Link className="quiet-link" to="/forum/tags" aria-label="All tags">
					All
				</Link>
			</RuleHead>
			<ul>
				{tags.map((tag) => (
					<TagRow key={tag.name} tag={tag} search={search} />
				))}
			</ul>
		</section>
	)
}

/** One line of an index: the tag, a dotted leader, how many queries. */
export function TagRow({ tag, search }: { tag: TagView; search?: string | null }) {
	return (
		<li className="min-w-0">
			<Link className="index-row" to={withParams(tagPath(tag.name), { q: search })}>
				<span className="tag min-w-0 truncate text-inherit">{tag.name}</span>
				<span className="num">{tag.count}</span>
			</Link>
		</li>
	)
}
