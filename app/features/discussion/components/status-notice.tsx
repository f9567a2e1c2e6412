import type { ReactNode } from 'react'
import type { QuestionPageView, UnpublishedView } from '~/features/questions/question.view.ts'
import { Link } from '~/ui/link.tsx'

interface StatusNoticeProps {
	question: Pick<QuestionPageView, 'locked' | 'unpublished'>
	/** The merged question that its reader was redirected from. */
	mergedFrom: { title: string; url: string } | null
}

/** The status of a question, above it: unpublished and why, locked, or reached from a question that was merged into it. */
export function StatusNotice({ question: { locked, unpublished }, mergedFrom }: StatusNoticeProps) {
	return (
		<>
			{mergedFrom && (
				<Notice>
					“{mergedFrom.title}” asks the same and was merged into this query.{' '}
					<Link className="link" to={mergedFrom.url} rel="nofollow">
						Read the original
					</Link>
				</Notice>
			)}
			{unpublished ? (
				<UnpublishedNotice unpublished={unpublished} what="query" />
			) : (
				locked && <Notice>A moderator locked this query. You can read it, but not comment.</Notice>
			)}
		</>
	)
}

/** Tells an author and moderators why others do not see a text. */
export function UnpublishedNotice({ unpublished, what }: { unpublished: UnpublishedView; what: 'query' | 'comment' }) {
	const { status, rejected, reason } = unpublished
	return (
		<Notice>
			{status === 'pending' &&
				`This ${what} is waiting for a moderator because it has a link and its author is new here. Until it is approved, only its author and the moderators see it, and its author can edit or delete it.`}
			{status === 'hidden' &&
				`A moderator ${rejected ? 'rejected' : 'hid'} this ${what}. Only its author and the moderators see it.`}
			{status === 'merged' && 'This query asks the same as another one and was merged into it. It can only be read.'}
			{reason && <span className="mt-1 block text-ink">Reason: {reason}</span>}
		</Notice>
	)
}

function Notice({ children }: { children: ReactNode }) {
	return (
		<p className="mt-3 max-w-[47.5rem] rounded-sm border border-line-2 bg-sunken px-4 py-3 text-sm wrap-anywhere text-ink-2">
			{children}
		</p>
	)
}
