import { ArrowUp, MessageSquare, Pencil, Trash2 } from 'lucide'
import type { QuestionCardView, QuestionPageView } from '~/features/questions/question.view.ts'
import { editPath } from '~/features/questions/questions.paths.ts'
import { Answered } from '~/features/search/components/answered.tsx'
import { categoryPath, tagPath } from '~/features/tags/tags.view.ts'
import { profilePath } from '~/lib/addresses.ts'
import { Avatar } from '~/ui/avatar.tsx'
import { DeleteControl, type DeleteQuestion } from '~/ui/delete-control.tsx'
import { Icon } from '~/ui/icon.tsx'
import { Link } from '~/ui/link.tsx'
import { RelativeTime } from '~/ui/time.tsx'

const marked = '[&_mark]:rounded-xs [&_mark]:bg-marigold-wash [&_mark]:text-inherit'

/** One question in a list. */
export function QuestionCard({ question }: { question: QuestionCardView }) {
	const match = question.commentMatch
	return (
		<li className={`query ${rowGrid}`}>
			<article className="contents">
				<div className="min-w-0">
					<div className="flex items-center gap-4">
						<CategoryAndState question={question} className="cat min-w-0 truncate" />
						<Figures question={question} />
					</div>
					<h2 className={`mt-1 text-lg font-semibold text-balance wrap-anywhere ${marked}`}>
						<Link className="quiet-link" to={question.url}>
							<Marked html={question.titleHtml} text={question.title} />
						</Link>
					</h2>
					{match && (
						<Link className="link mt-1 inline-block text-sm" to={match.url}>
							Comment by {match.author}
						</Link>
					)}
					<p className={`mt-1 line-clamp-2 text-ink-2 wrap-anywhere ${marked}`}>
						<Marked html={match ? match.html : question.excerptHtml} text={question.excerpt} />
					</p>
					<Footer question={question} />
				</div>
				<p className="num text-right text-lg text-ink max-sm:hidden">
					<span className="sr-only">Votes </span>
					{question.score}
				</p>
				<p
					className={`num text-right text-lg max-sm:hidden ${question.commentCount === 0 ? 'text-ink-3' : 'text-ink'}`}
				>
					<span className="sr-only">Comments </span>
					{question.commentCount}
				</p>
			</article>
		</li>
	)
}

interface CategoryAndStateProps {
	question: Pick<QuestionCardView, 'category' | 'solved'>
	/** Of the link to the category. */
	className?: string
}

/** What stands above the title of a question, wherever it is listed and on its page: its category, and whether it is solved. */
export function CategoryAndState({ question: { category, solved }, className = 'cat' }: CategoryAndStateProps) {
	return (
		<>
			<Link className={className} to={categoryPath(category.slug)}>
				{category.title}
			</Link>
			{solved && <Answered />}
		</>
	)
}

/** Votes and comments in the first line, below 640 px. */
function Figures({ question }: { question: QuestionCardView }) {
	return (
		<span className="meta ml-auto flex flex-none items-center gap-3 sm:hidden">
			<span className="flex items-center gap-1">
				<Icon of={ArrowUp} className="icon-sm" />
				<span className="sr-only">Votes </span>
				{question.score}
			</span>
			<span className="flex items-center gap-1">
				<Icon of={MessageSquare} className="icon-sm" />
				<span className="sr-only">Comments </span>
				{question.commentCount}
			</span>
		</span>
	)
}

function Footer({ question }: { question: QuestionCardView }) {
	return (
		<footer className="mt-2.5 flex flex-wrap items-center gap-x-3 gap-y-1.5 text-xs">
			<span className="flex min-w-0 items-center gap-2 text-ink-3">
				<Avatar user={question.author} size={20} />{' '}
				<Link
					className="quiet-link min-w-0 truncate font-semibold text-ink-2"
					to={profilePath(question.author.username)}
				>
					{question.author.name}
				</Link>{' '}
				<span className="flex-none">
					<RelativeTime at={question.createdAt} />
				</span>
			</span>
			<span className="flex min-w-0 flex-wrap gap-x-2.5 gap-y-2">
				{question.tags.map((tag) => (
					<Link key={tag} className="tag" to={tagPath(tag)}>
						{tag}
					</Link>
				))}
			</span>
			{(question.mayEdit || question.mayDelete) && <OwnerTools question={question} />}
		</footer>
	)
}

function OwnerTools({ question }: { question: QuestionCardView }) {
	return (
		<span className="ml-auto flex sm:-my-1.5">
			{question.mayEdit && (
				<Link className="icon-btn icon-btn-sm" to={editPath(question.url)} aria-label={`Edit query: ${question.title}`}>
					<Icon of={Pencil} className="icon-sm" />
				</Link>
			)}
			{question.mayDelete && (
				<DeleteControl
					className="icon-btn icon-btn-sm hover:text-red"
					label={`Delete query: ${question.title}`}
					question={confirmDeletion(question)}
				>
					<Icon of={Trash2} className="icon-sm" />
				</DeleteControl>
			)}
		</span>
	)
}

/** A text with the matches of a search marked; the HTML comes safe from the server. */
function Marked({ html, text }: { html: string | undefined; text: string }) {
	return html === undefined ? text : <span dangerouslySetInnerHTML={{ __html: html }} />
}

/** The grid of a row and of the row that stands for it while the list loads. */
export const rowGrid = 'grid grid-cols-1 gap-x-4 border-b border-line py-4 sm:grid-cols-[minmax(0,1fr)_3.5rem_5rem]'

/** What is asked before a question is deleted. */
export function confirmDeletion(
	question: Pick<QuestionPageView, 'url' | 'title'> & Partial<Pick<QuestionPageView, 'unpublished'>>,
): DeleteQuestion {
	return {
		title: `Delete “${question.title}”?`,
		text: question.unpublished
			? 'It has not been published yet. Once deleted, it cannot be restored.'
			: 'It disappears from the forum. Comments by others can still be read at its address. You can undo this for ten minutes.',
		action: question.url,
		fields: { intent: 'delete-query' },
		href: `${question.url}?delete=1`,
	}
}
