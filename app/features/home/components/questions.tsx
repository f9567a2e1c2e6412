import { Link } from 'react-router'
import type { QuestionCardView } from '~/features/questions/question.view.ts'
import { profilePath } from '~/features/questions/questions.paths.ts'
import { Answered } from '~/features/search/components/answered.tsx'
import { categoryPath } from '~/features/tags/tags.view.ts'
import { counted } from '~/lib/text.ts'
import { Avatar } from '~/ui/avatar.tsx'
import { RelativeTime } from '~/ui/time.tsx'
import type { LeadView } from '../home.server.ts'

/** The query that most is said about, large. */
export function LeadQuestion({ query }: { query: LeadView }) {
	return (
		<article className="pt-2">
			<p className="flex items-center gap-4">
				<Link className="cat" to={categoryPath(query.category.slug)}>
					{query.category.title}
				</Link>
				{query.solved && <Answered />}
			</p>
			<h3 className="mt-1.5 text-2xl font-bold text-balance wrap-anywhere">
				<Link className="quiet-link" to={query.url}>
					{query.title}
				</Link>
			</h3>
			<p className="mt-3 line-clamp-3 text-md wrap-anywhere text-ink-2">{query.excerpt}</p>
			{query.codeHtml && <div className="code mt-4" dangerouslySetInnerHTML={{ __html: query.codeHtml }} />}
			<footer className="mt-4 flex items-center gap-2 text-xs text-ink-3">
				<Avatar user={query.author} size={24} />
				<Link className="quiet-link truncate font-semibold text-ink" to={profilePath(query.author.username)}>
					{query.author.name}
				</Link>
				<span className="flex-none">
					<RelativeTime at={query.createdAt} /> · {counted(query.commentCount, 'comment')}
				</span>
			</footer>
		</article>
	)
}

/** A query in the column of recent ones: its title and one line about it. */
export function RecentQuestion({ query }: { query: QuestionCardView }) {
	return (
		<article>
			<p className="flex items-center justify-between gap-3">
				<Link className="cat" to={categoryPath(query.category.slug)}>
					{query.category.title}
				</Link>
				{query.solved && <Answered />}
			</p>
			<h3 className="mt-1 text-md leading-5 font-semibold text-balance wrap-anywhere">
				<Link className="quiet-link" to={query.url}>
					{query.title}
				</Link>
			</h3>
			<p className="meta mt-1.5 wrap-anywhere">
				<bdi>{query.author.name}</bdi> · <RelativeTime at={query.createdAt} /> ·{' '}
				{counted(query.commentCount, 'comment')}
			</p>
		</article>
	)
}
