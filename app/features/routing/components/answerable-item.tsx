import { categoryPath, tagPath } from '~/features/tags/tags.view.ts'
import { profilePath } from '~/lib/addresses.ts'
import { Avatar } from '~/ui/avatar.tsx'
import { Link } from '~/ui/link.tsx'
import { RelativeTime } from '~/ui/time.tsx'
import { type AnswerableView, listed } from '../routing.view.ts'

/** One question that the member can answer, with what they know of it. It looks as in the forum's lists. */
export function AnswerableItem({ question }: { question: AnswerableView }) {
	const { url, title, excerpt, category, author, tags, createdAt, commentCount, because } = question
	return (
		<li className="query">
			<article>
				<div className="query-head">
					<Link className="cat" to={categoryPath(category.slug)}>
						{category.title}
					</Link>
				</div>
				<h2>
					<Link className="quiet-link" to={url}>
						{title}
					</Link>
				</h2>
				<p className="query-text">{excerpt}</p>
				<p className="mt-2 text-sm wrap-anywhere text-ink-2">
					You know <span className="font-semibold text-ink">{listed(because)}</span>.
					{commentCount === 0 && ' Nobody has answered yet.'}
				</p>
				<footer>
					<span className="query-author">
						<Avatar user={author} size={20} />{' '}
						<Link className="quiet-link" to={profilePath(author.username)}>
							{author.name}
						</Link>{' '}
						<RelativeTime at={createdAt} />
					</span>
					<span className="query-tags">
						{tags.map((tag) => (
							<Link key={tag} className="tag" to={tagPath(tag)}>
								{tag}
							</Link>
						))}
					</span>
				</footer>
				<p className="query-figure" data-of="comments" data-none={commentCount === 0 || undefined}>
					<span className="sr-only">Comments </span>
					{commentCount}
				</p>
			</article>
		</li>
	)
}
