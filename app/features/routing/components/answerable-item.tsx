import { AuthorName } from '~/features/members/components/author-name.tsx'
import { categoryPath, tagPath } from '~/features/tags/tags.view.ts'
import { Avatar } from '~/ui/avatar.tsx'
import { Count } from '~/ui/count.tsx'
import { Link } from '~/ui/link.tsx'
import { RelativeTime } from '~/ui/time.tsx'
import { type AnswerableView, formatList } from '../routing.view.ts'

/** A question that the member can answer, with the reason. Looks like an item of the forum's lists. */
export function AnswerableItem({ question }: { question: AnswerableView }) {
	const { url, title, excerpt, category, author, tags, createdAt, commentCount, because } = question
	return (
		<article className="query">
			<Link className="cat" to={categoryPath(category.slug)}>
				{category.title}
			</Link>
			<h2>
				<Link to={url}>{title}</Link>
			</h2>
			<p className="query-text">{excerpt}</p>
			<p className="mt-2 text-sm wrap-anywhere text-ink-2">
				You know <span className="font-semibold text-ink">{formatList(because)}</span>.
				{commentCount === 0 && ' Nobody has answered yet.'}
			</p>
			<footer>
				<span className="query-author">
					<Avatar user={author} size={20} /> <AuthorName author={author} /> <RelativeTime at={createdAt} />
				</span>
				<span className="tags">
					{tags.map((tag) => (
						<Link key={tag} to={tagPath(tag)}>
							{tag}
						</Link>
					))}
				</span>
			</footer>
			<p className="query-comments" data-none={commentCount === 0 || undefined}>
				<Count of={commentCount} />
			</p>
		</article>
	)
}
