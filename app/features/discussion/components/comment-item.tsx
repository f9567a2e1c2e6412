import { Plus } from 'lucide'
import { withParams } from '~/lib/addresses.ts'
import { Avatar } from '~/ui/avatar.tsx'
import { Icon } from '~/ui/icon.tsx'
import { Link } from '~/ui/link.tsx'
import { MemoMarkup } from '~/ui/memo-markup.tsx'
import { RenderedText } from '~/ui/rendered-text.tsx'
import type { CommentView } from '../comment.view.ts'
import { ReplyForm } from './comment-forms.tsx'
import { CommentActions, CommentHead, ThreadFactsProvider, timesOf } from './comment-parts.tsx'
import {
	countBranch,
	type DiscussionFacts,
	type ThreadFacts,
	threadAfter,
	threadFacts,
	useDiscussion,
} from './discussion-context.ts'
import { OriginLine } from './question-article.tsx'
import { UnpublishedNotice } from './status-notice.tsx'
import { useOpenForms } from './use-comment-form.ts'

interface CommentItemProps {
	comment: CommentView
	/** Its depth on this page; 0 for the root of a thread. */
	level: number
}

/** A comment on the question itself, with all replies to it. */
export function CommentThread({ comment }: { comment: CommentView }) {
	const page = useDiscussion()
	return (
		<MemoMarkup
			as="li"
			{...rowOf(comment, page)}
			of={ThreadContent}
			with={{ comment, facts: threadFacts(page, comment.id) }}
			times={timesOf(comment)}
		/>
	)
}

function ThreadContent({ comment, facts }: { comment: CommentView; facts: ThreadFacts }) {
	return (
		<ThreadFactsProvider facts={facts}>
			<CommentContent comment={comment} level={0} />
		</ThreadFactsProvider>
	)
}

/** The row of a comment: an accepted answer has its anchor above all threads. */
function rowOf({ id }: CommentView, { lifted, marked }: DiscussionFacts) {
	const isPointer = lifted.includes(id)
	return {
		className: 'comment relative',
		id: isPointer ? undefined : `comment-${id}`,
		'data-marked': !isPointer && marked === id ? (true as const) : undefined,
	}
}

/**
 * A comment with its replies. The line beside it folds the branch: a checkbox that works without scripts, as the style sheet does
 * the folding.
 */
function CommentContent({ comment, level }: CommentItemProps) {
	const isPointer = useDiscussion().lifted.includes(comment.id)
	const fold = `fold-${comment.id}`
	const folds = comment.replies.length > 0 || comment.hiddenReplies > 0
	return (
		<>
			{folds && <input className="peer/fold sr-only" type="checkbox" id={fold} autoComplete="off" />}
			{comment.author ? (
				<Avatar user={comment.author} size={24} />
			) : (
				<span className="avatar avatar-24" aria-hidden="true" />
			)}
			<CommentHead comment={comment} />
			{folds && (
				<label
					className="comment-rail peer-checked/fold:hidden peer-focus-visible/fold:outline-2 peer-focus-visible/fold:outline-ivy"
					htmlFor={fold}
				>
					<span className="sr-only">Fold this thread</span>
				</label>
			)}
			<div className="comment-body peer-checked/fold:hidden">
				{isPointer ? <Pointer id={comment.id} /> : <Body comment={comment} level={level} />}
			</div>
			{folds && (
				<>
					<label
						className="btn btn-sm btn-ghost col-start-2 -ml-2 hidden justify-self-start px-2 text-xs peer-checked/fold:inline-flex peer-focus-visible/fold:outline-2 peer-focus-visible/fold:outline-ivy"
						htmlFor={fold}
					>
						Show thread ({countBranch(comment)})
					</label>
					<Replies comment={comment} level={level + 1} className="comment-replies peer-checked/fold:hidden" />
				</>
			)}
		</>
	)
}

/** The replies to a comment that this page shows, and a link to the others. */
export function Replies({ comment, level, className }: CommentItemProps & { className: string }) {
	const page = useDiscussion()
	return (
		<ul className={className}>
			{comment.replies.map((reply) => (
				<li key={reply.id} {...rowOf(reply, page)}>
					<CommentContent comment={reply} level={level} />
				</li>
			))}
			{comment.hiddenReplies > 0 && (
				<li>
					<Link
						className="btn btn-sm btn-ghost -ml-2 text-xs text-ink-2"
						to={`${withParams(page.url, { thread: comment.id })}#comments`}
						rel="nofollow"
					>
						<Icon of={Plus} className="icon-sm" /> Continue thread ({comment.hiddenReplies} more)
					</Link>
				</li>
			)}
		</ul>
	)
}

/** A comment's text with its actions, or its edit form. */
function Body({ comment, level }: CommentItemProps) {
	const facts = useDiscussion()
	const forms = useOpenForms(comment.id)
	if (comment.deleted)
		return (
			<p className="text-ink-3">
				{comment.unpublished ? 'This comment was hidden by a moderator.' : 'This comment was deleted.'}
			</p>
		)
	if (forms.edit && comment.mayEdit)
		return (
			<ReplyForm
				intent="edit-comment"
				comment={comment.id}
				label="Your comment"
				text={comment.body ?? ''}
				version={comment.version}
				thread={threadAfter(facts, comment.id, 0)}
				focused={forms.focused}
				onClose={forms.closeEdit}
			/>
		)
	return (
		<>
			{comment.unpublished && <UnpublishedNotice unpublished={comment.unpublished} what="comment" />}
			{comment.solution && !facts.lifted.includes(comment.id) && <span className="answered">Accepted answer</span>}
			<RenderedText html={comment.bodyHtml} small />
			<OriginLine origin={comment.origin} />
			<CommentActions comment={comment} level={level} forms={forms} />
		</>
	)
}

function Pointer({ id }: { id: number }) {
	return (
		<a className="link text-ink-2" href={`#comment-${id}`}>
			This is the accepted answer, shown above.
		</a>
	)
}
