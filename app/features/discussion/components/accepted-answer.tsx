import { OutdatedForm, OutdatedNotice } from '~/features/upkeep/components/outdated.tsx'
import { Avatar } from '~/ui/avatar.tsx'
import { MemoMarkup } from '~/ui/memo-markup.tsx'
import { RenderedText } from '~/ui/rendered-text.tsx'
import { RelativeTime } from '~/ui/time.tsx'
import type { CommentView } from '../comment.view.ts'
import { ReplyForm } from './comment-forms.tsx'
import { Replies } from './comment-item.tsx'
import { CommentActions, CommentHead, ThreadFactsProvider, timesOf } from './comment-parts.tsx'
import { type ThreadFacts, threadFacts, useDiscussion } from './discussion-context.ts'
import { OriginLine } from './question-article.tsx'
import { useOpenForms } from './use-comment-form.ts'

/** An accepted answer, above everything else and in a frame. */
export function AcceptedAnswer({ comment }: { comment: CommentView }) {
	const page = useDiscussion()
	return (
		<MemoMarkup
			as="section"
			className="mt-2 overflow-clip rounded-sm border border-marigold-line bg-raised"
			id={`comment-${comment.id}`}
			aria-label="Accepted answer"
			of={AnswerContent}
			with={{ comment, facts: threadFacts(page, comment.id) }}
			times={[
				...timesOf(comment),
				...(comment.chosenAt === null ? [] : [comment.chosenAt]),
				...(comment.outdated ? [comment.outdated.at] : []),
			]}
		/>
	)
}

function AnswerContent({ comment, facts }: { comment: CommentView; facts: ThreadFacts }) {
	return (
		<ThreadFactsProvider facts={facts}>
			<Answer comment={comment} />
		</ThreadFactsProvider>
	)
}

function Answer({ comment }: { comment: CommentView }) {
	const facts = useDiscussion()
	const forms = useOpenForms(comment.id)
	const hasReplies = comment.replies.length > 0 || comment.hiddenReplies > 0
	return (
		<>
			<p className="answered flex border-b border-marigold-line bg-marigold-wash px-4 py-2">
				Accepted answer
				{comment.chosenAt !== null && (
					<span className="ml-auto font-normal text-ink-3">
						chosen <RelativeTime at={comment.chosenAt} />
					</span>
				)}
			</p>
			{comment.outdated && <OutdatedNotice outdated={comment.outdated} />}
			<div className="grid grid-cols-[2rem_minmax(0,1fr)] gap-x-3 p-4">
				{comment.author && <Avatar user={comment.author} size={32} />}
				<div className="col-start-2 min-w-0">
					<CommentHead comment={comment} large />
					{forms.edit && comment.mayEdit ? (
						<div className="mt-1.5">
							<ReplyForm
								intent="edit-comment"
								comment={comment.id}
								label="Your comment"
								text={comment.body ?? ''}
								version={comment.version}
								thread={facts.thread}
								focused={forms.focused}
								onClose={forms.closeEdit}
							/>
						</div>
					) : (
						<div className="mt-1.5">
							<RenderedText html={comment.bodyHtml} />
							<OriginLine origin={comment.origin} />
							<CommentActions comment={comment} level={comment.depth} forms={forms} />
							{facts.signedIn && !comment.own && !facts.closed && (
								<OutdatedForm comment={comment.id} isSaid={comment.saysOutdated} />
							)}
						</div>
					)}
				</div>
				{hasReplies && (
					<Replies comment={comment} level={1} className="mt-5 grid gap-5 max-sm:col-span-2 sm:col-start-2" />
				)}
			</div>
		</>
	)
}
