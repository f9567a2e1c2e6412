import { CategoryAndState } from '~/features/question-lists/components/question-card.tsx'
import type { QuestionCardView } from '~/features/questions/question.view.ts'
import { profilePath } from '~/lib/addresses.ts'
import { pluralize } from '~/lib/text.ts'
import { Avatar } from '~/ui/avatar.tsx'
import { Link } from '~/ui/link.tsx'
import { RelativeTime } from '~/ui/time.tsx'
import type { LeadView } from '../home.server.ts'

/** The most discussed question. */
export function LeadQuestion({ question }: { question: LeadView }) {
	return (
		<>
			<p className="flex items-center gap-4">
				<CategoryAndState question={question} />
			</p>
			<h3 className="mt-1.5 text-2xl font-bold text-balance wrap-anywhere">
				<Link className="quiet-link" to={question.url}>
					{question.title}
				</Link>
			</h3>
			<p
				className={`authored mt-3 text-md wrap-anywhere text-ink-2 ${question.codeHtml ? 'line-clamp-3' : 'line-clamp-6'}`}
			>
				{question.excerpt}
			</p>
			{question.codeHtml && <div className="code mt-4" dangerouslySetInnerHTML={{ __html: question.codeHtml }} />}
			<footer className="mt-4 flex items-center gap-2 text-xs text-ink-3 max-[16rem]:flex-wrap">
				<Avatar user={question.author} size={24} />
				<Link className="quiet-link truncate font-semibold text-ink" to={profilePath(question.author.username)}>
					{question.author.name}
				</Link>
				<span className="flex-none">
					<RelativeTime at={question.createdAt} /> · {pluralize(question.commentCount, 'comment')}
				</span>
			</footer>
		</>
	)
}

/** A question in the column of recent ones. */
export function RecentQuestion({ question }: { question: QuestionCardView }) {
	return (
		<article>
			<p className="flex items-center justify-between gap-3">
				<CategoryAndState question={question} />
			</p>
			<h3 className="mt-1 text-md leading-5 font-semibold text-balance wrap-anywhere">
				<Link className="quiet-link" to={question.url}>
					{question.title}
				</Link>
			</h3>
			<p className="meta mt-1.5 wrap-anywhere">
				<bdi>{question.author.name}</bdi> · <RelativeTime at={question.createdAt} /> ·{' '}
				{pluralize(question.commentCount, 'comment')}
			</p>
		</article>
	)
}
