import { Link } from 'react-router'
import type { ForumFrame } from '~/features/questions/lists/components/forum-frame.ts'
import type { TagView } from '~/features/questions/question.view.ts'
import { tagPath, withParams } from '~/features/questions/questions.paths.ts'
import { RuleHead } from '~/ui/rule-head.tsx'
import { RelativeTime } from '~/ui/time.tsx'

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

/** The newest queries that nobody answered. */
export function WaitingList({ waiting }: Pick<ForumFrame, 'waiting'>) {
	if (waiting.length === 0) return null
	return (
		<section className="mt-8 first:mt-0" aria-labelledby="waiting">
			<RuleHead id="waiting" title="Waiting for an answer" />
			<ul className="grid gap-3">
				{waiting.map(({ url, title, createdAt }) => (
					<li key={url}>
						<Link className="quiet-link block leading-5 wrap-anywhere" to={url}>
							{title}
						</Link>
						<span className="meta">
							<RelativeTime at={createdAt} />
						</span>
					</li>
				))}
			</ul>
		</section>
	)
}
