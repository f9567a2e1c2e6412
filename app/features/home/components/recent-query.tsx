import { Link } from 'react-router'
import type { QuestionCardView } from '~/features/questions/question.view.ts'
import { Answered } from '~/features/search/components/answered.tsx'
import { categoryPath } from '~/features/tags/tags.view.ts'
import { counted } from '~/lib/text.ts'
import { RelativeTime } from '~/ui/time.tsx'

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
