import { Check } from 'lucide'
import { type ReactNode, use } from 'react'
import { BookmarkButton } from '~/features/bookmarks/components/bookmark-button.tsx'
import { AuthorName } from '~/features/members/components/author-name.tsx'
import { ReportLink } from '~/features/moderation/components/report-link.tsx'
import { historyPath } from '~/features/questions/questions.paths.ts'
import { commentPath } from '~/features/search/search.view.ts'
import { loginPath } from '~/lib/addresses.ts'
import { type DeleteConfirmation, DeleteControl, DeleteSection } from '~/ui/delete-control.tsx'
import { Icon } from '~/ui/icon.tsx'
import { Form, Link } from '~/ui/link.tsx'
import { SubmitButton } from '~/ui/submit-button.tsx'
import { RelativeTime } from '~/ui/time.tsx'
import type { CommentView } from '../comment.view.ts'
import { ReplyForm } from './comment-forms.tsx'
import {
	DiscussionContext,
	type DiscussionFacts,
	standaloneFacts,
	type ThreadFacts,
	threadAfter,
	useDiscussion,
} from './discussion-context.ts'
import type { OpenForms } from './use-comment-form.ts'
import { CommentVotes } from './votes.tsx'

/** Provides the facts of a thread that the server renders on its own; within the page, the page's own facts apply. */
export function ThreadFactsProvider({ facts, children }: { facts: ThreadFacts; children: ReactNode }) {
	const ofPage = use(DiscussionContext)
	return <DiscussionContext value={ofPage ?? standaloneFacts(facts)}>{children}</DiscussionContext>
}

/** The times that a comment and its replies show, ISO 8601. */
export function timesOf({ createdAt, replies }: CommentView): string[] {
	return [createdAt, ...replies.flatMap(timesOf)]
}

/** The author and the time of a comment. */
export function CommentHead({ comment, large = false }: { comment: CommentView; large?: boolean }) {
	const { author, byAsker, createdAt, editedAt, id } = comment
	return (
		<p
			className={`flex min-h-6 flex-wrap items-center gap-x-2 gap-y-1 text-xs text-ink-3 ${large ? 'items-baseline leading-4' : ''}`}
		>
			{author && (
				<AuthorName author={author} look={`font-semibold text-ink wrap-anywhere ${large ? 'text-base' : 'text-sm'}`} />
			)}
			{byAsker && <span className="text-ivy">asked this</span>}
			<Link className="quiet-link" to={commentPath(id)} rel="nofollow">
				<RelativeTime at={createdAt} />
			</Link>
			{editedAt !== null && (
				<Link className="quiet-link" to={historyPath(id, 'comment')} rel="nofollow">
					edited
				</Link>
			)}
		</p>
	)
}

/** The actions of a comment, and the forms that they open. */
export function CommentActions({ comment, level, forms }: { comment: CommentView; level: number; forms: OpenForms }) {
	const facts = useDiscussion()
	const { id } = comment
	const address = (name: string) => `${facts.here}${facts.here.includes('?') ? '&' : '?'}${name}=${id}#comment-${id}`
	const link = 'btn btn-sm btn-ghost px-2 text-xs'
	return (
		<>
			<div className="mt-1 -ml-2 flex flex-wrap items-center text-xs text-ink-3">
				<CommentVotes comment={comment} />
				{!facts.locked && !facts.closed && comment.unpublished === null && (
					<FormLink
						className={link}
						to={facts.signedIn ? address('reply') : loginPath(address('reply'))}
						open={facts.signedIn ? forms.openReply : null}
					>
						Reply
					</FormLink>
				)}
				{comment.mayChoose && !facts.closed && <SolutionButton comment={comment} />}
				{comment.mayEdit && !facts.closed && (
					<FormLink className={link} to={address('edit')} open={forms.openEdit}>
						Edit
					</FormLink>
				)}
				{comment.mayDelete && (
					<DeleteControl className={link} question={deleteComment(facts, comment, address('delete-comment'))}>
						Delete
					</DeleteControl>
				)}
				{facts.signedIn && !facts.closed && comment.unpublished === null && (
					<BookmarkButton
						kind="comment"
						id={id}
						bookmarked={comment.bookmarked}
						label={comment.author ? `Bookmark the comment of ${comment.author.name}` : 'Bookmark this comment'}
					/>
				)}
				{!comment.own && facts.reportable && comment.unpublished === null && (
					<ReportLink className={link} href={`/report/comment/${id}`} what="this comment" signedIn={facts.signedIn}>
						Report
					</ReportLink>
				)}
				{facts.moderates && (
					<Link className={link} to={`/moderation/comment/${id}`}>
						Moderate
					</Link>
				)}
			</div>
			{comment.mayDelete && facts.asked.remove === id && (
				<div className="mt-2">
					<DeleteSection question={deleteComment(facts, comment, '')} keepHref={`${facts.here}#comment-${id}`} />
				</div>
			)}
			{forms.reply && facts.signedIn && !facts.locked && (
				<div className="mt-3">
					<ReplyForm
						intent="reply"
						comment={id}
						label={`Reply to ${comment.author?.name ?? 'this comment'}`}
						thread={threadAfter(facts, id, level)}
						focused={forms.focused}
						onClose={forms.closeReply}
					/>
				</div>
			)}
		</>
	)
}

function deleteComment({ here }: DiscussionFacts, { id, unpublished }: CommentView, href: string): DeleteConfirmation {
	return {
		title: 'Delete this comment?',
		text: unpublished
			? 'It is waiting for a moderator. Once deleted, it cannot be restored.'
			: 'The text disappears now; replies to it stay. The notice that follows can undo this.',
		action: here,
		fields: { intent: 'delete-comment', comment: id },
		href,
	}
}

/** A link to the page with the form open; where scripts run, the form opens in place. */
function FormLink({
	to,
	open,
	className,
	children,
}: {
	to: string
	open: (() => void) | null
	className: string
	children: ReactNode
}) {
	return (
		<Link
			className={className}
			to={to}
			rel="nofollow"
			onClick={(event) => {
				if (!open || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
				event.preventDefault()
				open()
			}}
		>
			{children}
		</Link>
	)
}

/** The author of the question marks a comment as a solution, or undoes that. */
export function SolutionButton({ comment: { id, solution } }: { comment: CommentView }) {
	const { here } = useDiscussion()
	const intent = solution ? 'withdraw-solution' : 'choose-solution'
	return (
		<Form method="post" action={here} preventScrollReset replace>
			<input type="hidden" name="intent" value={intent} />
			<input type="hidden" name="comment" value={id} />
			<SubmitButton
				className="btn btn-sm btn-ghost px-2 text-xs"
				busyLabel="Saving..."
				action={here}
				name="box"
				value={`solution-${id}`}
			>
				<Icon of={Check} className="icon-sm" /> {solution ? 'No longer the answer' : 'This solved it'}
			</SubmitButton>
		</Form>
	)
}
