import { pluralize } from '~/lib/text.ts'
import { Link } from '~/ui/link.tsx'
import { MemoMarkup } from '~/ui/memo-markup.tsx'
import { SectionHeading } from '~/ui/section-heading.tsx'
import type { RelatedView } from '../related.view.ts'

interface RelatedProps {
	related: RelatedView[]
}

/** Related questions, beside a question or below its comments on narrow screens. */
export function RelatedQuestions({ related }: RelatedProps) {
	if (related.length === 0) return null
	return (
		<MemoMarkup
			as="section"
			className="mt-8 sm:max-lg:ml-16 sm:max-lg:max-w-[44rem] print:hidden"
			aria-labelledby="related"
			of={RelatedList}
			with={{ related }}
		/>
	)
}

function RelatedList({ related }: RelatedProps) {
	return (
		<>
			<SectionHeading id="related" title="Related" />
			<ul className="grid gap-3">
				{related.map(({ url, title, solved, commentCount }) => (
					<li key={url}>
						<Link className="quiet-link block leading-5 wrap-anywhere" to={url}>
							{title}
						</Link>
						<p className="mt-0.5 flex items-center gap-2 text-xs text-ink-3">
							{solved && (
								<span className="answered">
									<span className="sr-only">Answered</span>
								</span>
							)}
							{pluralize(commentCount, 'comment')}
						</p>
					</li>
				))}
			</ul>
		</>
	)
}
