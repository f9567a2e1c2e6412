import { Pencil, Trash2 } from 'lucide'
import { AuthorName } from '~/features/members/components/author-name.tsx'
import type { QuestionCardView, QuestionPageView } from '~/features/questions/question.view.ts'
import { editPath } from '~/features/questions/questions.paths.ts'
import { categoryPath, tagPath } from '~/features/tags/tags.view.ts'
import { withParams } from '~/lib/addresses.ts'
import { relativeTime } from '~/lib/dates.ts'
import { Avatar } from '~/ui/avatar.tsx'
import { Count } from '~/ui/count.tsx'
import { type DeleteConfirmation, DeleteControl } from '~/ui/delete-control.tsx'
import { Icon } from '~/ui/icon.tsx'
import { Link } from '~/ui/link.tsx'
import { MemoMarkup } from '~/ui/memo-markup.tsx'
import { useNow } from '~/ui/time.tsx'

interface QuestionCardProps {
	question: QuestionCardView
	/** Whether a moderator pinned it. */
	isPinned?: boolean
}

/** A question in a list. `document-rows.ts` parses this markup. */
export function QuestionCard({ question, isPinned = false }: QuestionCardProps) {
	const ago = relativeTime(question.createdAt, useNow())
	const row = { question, ago, isPinned }
	if (question.titleHtml === undefined) return <MemoMarkup as="article" className="query" of={Row} with={row} />
	// Highlighted matches are hardly ever shared; the part below them is cached.
	return (
		<article className="query">
			<Row {...row} />
		</article>
	)
}

/** The headings of the numbers beside questions; a phone shows icons instead. Screen readers read what each number is. */
export function NumberHeadings({ className }: { className: string }) {
	return (
		<div
			className={`meta ml-auto grid grid-cols-[3.5rem_5rem] gap-x-4 text-right max-sm:hidden ${className}`}
			aria-hidden="true"
		>
			<span>Votes</span>
			<span>Comments</span>
		</div>
	)
}

/** Precedes the author of a matching comment. */
export const commentBy = 'Comment by '

interface RowProps extends Required<QuestionCardProps> {
	/** The age of the question. */
	ago: string
}

function Row({ question, ago, isPinned }: RowProps) {
	const match = question.commentMatch
	return (
		<>
			<CategoryAndState question={question} />
			{isPinned && <span className="query-pinned">Pinned</span>}
			<h2>
				<Link to={question.url}>
					<Marked html={question.titleHtml} text={question.title} />
				</Link>
			</h2>
			{match && (
				<div>
					<Link className="link mt-1 inline-block max-w-full text-sm wrap-anywhere" to={match.url}>
						{commentBy + match.author}
					</Link>
				</div>
			)}
			<p className="query-text">
				<Marked html={match ? match.html : question.excerptHtml} text={question.excerpt} />
			</p>
			<MemoMarkup as="footer" of={Footer} with={footerOf(question, ago)} />
			<p className="query-votes">
				<Count of={question.score} />
			</p>
			<p className="query-comments" data-none={question.commentCount === 0 || undefined}>
				<Count of={question.commentCount} />
			</p>
		</>
	)
}

/** Category and solved state, above the title of a question in lists and on its page. */
export function CategoryAndState({
	question: { category, solved },
}: {
	question: Pick<QuestionCardView, 'category' | 'solved'>
}) {
	return (
		<>
			<Link className="cat" to={categoryPath(category.slug)}>
				{category.title}
			</Link>
			{solved && <span className="answered">Answered</span>}
		</>
	)
}

interface FooterProps extends Pick<QuestionCardView, 'author' | 'createdAt' | 'tags'> {
	ago: string
	/** The question, if the reader may change it. */
	own: OwnQuestion | null
}

type OwnQuestion = Pick<QuestionCardView, 'url' | 'title' | 'mayEdit' | 'mayDelete'>

function footerOf(
	{ author, createdAt, tags, url, title, mayEdit, mayDelete }: QuestionCardView,
	ago: string,
): FooterProps {
	return { author, createdAt, tags, ago, own: mayEdit || mayDelete ? { url, title, mayEdit, mayDelete } : null }
}

function Footer({ author, createdAt, tags, ago, own }: FooterProps) {
	return (
		<>
			<span className="query-author">
				<Avatar user={author} size={20} /> <AuthorName author={author} look={null} />{' '}
				<time dateTime={createdAt}>{ago}</time>
			</span>
			<span className="tags">
				{tags.map((tag) => (
					<Link key={tag} to={tagPath(tag)}>
						{tag}
					</Link>
				))}
				{own && <OwnerTools question={own} />}
			</span>
		</>
	)
}

function OwnerTools({ question }: { question: OwnQuestion }) {
	return (
		<span className="-my-1.5 -mr-1.5 ml-auto flex">
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

/** A text with highlighted matches; the server has escaped the HTML. */
function Marked({ html, text }: { html: string | undefined; text: string }) {
	return html === undefined ? text : <span dangerouslySetInnerHTML={{ __html: html }} />
}

/** The confirmation before a question is deleted. */
export function confirmDeletion(
	question: Pick<QuestionPageView, 'url' | 'title'> & Partial<Pick<QuestionPageView, 'unpublished'>>,
): DeleteConfirmation {
	const status = question.unpublished?.status
	return {
		title: `Delete “${question.title}”?`,
		text:
			status === 'pending'
				? 'It has not been published yet. Once deleted, it cannot be restored.'
				: 'It disappears from the forum. Comments by others can still be read at its address. The notice that follows can undo this.',
		action: question.url,
		fields: { intent: 'delete-query' },
		// The plain address of a merged query leads to the other one.
		href: withParams(question.url, { original: status === 'merged' ? 1 : null, delete: 1 }),
	}
}
