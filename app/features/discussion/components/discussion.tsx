import { ChevronDown } from 'lucide'
import { type FocusEvent, type KeyboardEvent, use, useEffect, useMemo, useState } from 'react'
import { useLocation, useSearchParams } from 'react-router'
import { areCommentsReportable, isClosed } from '~/features/questions/questions.policy.ts'
import { withParams } from '~/lib/addresses.ts'
import { useRootData } from '~/lib/root-data.ts'
import { formatNumber } from '~/lib/text.ts'
import { isModerator } from '~/lib/viewer.ts'
import type { Page } from '~/platform/http/cursors.ts'
import type { FormRefusal } from '~/platform/http/form.ts'
import { Icon } from '~/ui/icon.tsx'
import { Link } from '~/ui/link.tsx'
import { RenderAloneContext } from '~/ui/memo-markup.tsx'
import { MoreLink } from '~/ui/more-link.tsx'
import { SectionHeading } from '~/ui/section-heading.tsx'
import { useMore } from '~/ui/use-more.ts'
import { type CommentSort, type CommentView, sortParam } from '../comment.view.ts'
import { AcceptedAnswer } from './accepted-answer.tsx'
import { CommentForm } from './comment-forms.tsx'
import { CommentThread } from './comment-item.tsx'
import {
	DiscussionContext,
	type DiscussionFacts,
	focusPart,
	joinThreads,
	liftAccepted,
	type ShownQuestion,
} from './discussion-context.ts'
import { NewCommentsBar, useNewComments } from './new-comments.tsx'

/** A question's comments as its page loads them. */
export interface CommentsData {
	page: Page<CommentView>
	/** The id of the newest comment on any page; 0 for none and for a visitor. */
	newest: number
	/** Prefix of the idempotency keys of this page's forms; '' for a visitor. */
	sendKey: string
	sort: CommentSort
	/** The cursor of this page of threads; null for the first. */
	cursor: string | null
	/** The comment whose thread is shown alone, or null. */
	thread: number | null
	solutions: CommentView[]
}

interface DiscussionProps {
	question: ShownQuestion
	data: CommentsData
	refusal: FormRefusal | null
}

/** The comments of a query: accepted answers, the form for a new comment, the threads. */
export function Discussion({ question, data, refusal }: DiscussionProps) {
	const { commentCount } = question
	const { page, sort, cursor, thread, solutions } = data
	const { rows, nextHref, loading, load } = useMore(page, (next) => partOf(question, { sort, thread, cursor: next }))
	const isFirst = cursor === null && thread === null
	const { accepted, threads } = liftAccepted(joinThreads(rows), isFirst ? solutions : [])
	const facts = useFacts(question, data, refusal, accepted)
	// An open form is the viewer's own.
	const opensForm = refusal !== null || Object.values(facts.asked).some((id) => id !== null)
	const renderAlone = use(RenderAloneContext)
	const fresh = useNewComments(question.id, data, (facts.pseudonym ?? facts.viewer)?.username ?? null)
	return (
		<DiscussionContext value={facts}>
			<section className="group/discussion mt-8 sm:ml-16 sm:max-w-[44rem]" aria-labelledby="comments">
				<div id="comments-top">
					<SectionHeading id="comments" title={`Comments (${formatNumber(commentCount)})`}>
						{isFirst ? (
							commentCount > 1 && <SortLinks question={question} sort={sort} />
						) : (
							<Link className="quiet-link" to={`${partOf(question, { sort })}#comments`}>
								Show all comments
							</Link>
						)}
					</SectionHeading>
				</div>
				{facts.viewer && <NewCommentsBar count={fresh.count} show={fresh.show} />}
				<RenderAloneContext value={opensForm ? undefined : renderAlone}>
					{accepted.map((comment) => (
						<AcceptedAnswer key={comment.id} comment={comment} />
					))}
				</RenderAloneContext>
				{thread === null && !question.locked && !facts.closed && (
					<CommentForm showAlone={!isFirst || page.next !== null} />
				)}
				<RenderAloneContext value={opensForm ? undefined : renderAlone}>
					<ul className="mt-6 grid gap-6">
						{threads.map((comment) => (
							<CommentThread key={comment.id} comment={comment} />
						))}
					</ul>
				</RenderAloneContext>
				{nextHref && (
					<p className="mt-6">
						<MoreLink href={nextHref} loading={loading} load={load}>
							Load more comments
						</MoreLink>
					</p>
				)}
			</section>
		</DiscussionContext>
	)
}

/** The address of a part of a question's comments: in an order, of a thread, of a later page. The plain one of a merged question redirects. */
function partOf(
	{ url, unpublished }: ShownQuestion,
	{ sort, ...part }: { sort: CommentSort; thread?: number | null; cursor?: string | null },
): string {
	const original = unpublished?.status === 'merged' ? '1' : null
	return withParams(url, { original, sort: sortParam(sort), ...part })
}

function useFacts(
	question: ShownQuestion,
	data: CommentsData,
	refusal: FormRefusal | null,
	accepted: CommentView[],
): DiscussionFacts {
	const { viewer } = useRootData()
	const [params] = useSearchParams()
	const marked = useHighlightedComment()
	const { page, sort, cursor, thread } = data
	const onFirstPage = useMemo(() => {
		// Where everything fits on one page, every order shows the same comments.
		const isSame = cursor === null && thread === null && (sort === 'oldest' || page.next === null)
		return isSame ? idsOf(page.rows) : new Set<number>()
	}, [page, sort, cursor, thread])
	return {
		viewer,
		pseudonym: question.own && question.author.pseudonym ? question.author : null,
		signedIn: viewer !== null,
		moderates: isModerator(viewer),
		closed: isClosed(question),
		reportable: areCommentsReportable(question),
		questionId: question.id,
		sendKey: data.sendKey,
		url: question.url,
		here: partOf(question, { sort, thread, cursor }),
		thread,
		locked: question.locked,
		refusal,
		asked: { reply: idIn(params, 'reply'), edit: idIn(params, 'edit'), remove: idIn(params, 'delete-comment') },
		lifted: accepted.map(({ id }) => id),
		marked,
		isOnFirstPage: (id) => onFirstPage.has(id),
	}
}

function idsOf(comments: CommentView[], into = new Set<number>()): Set<number> {
	for (const { id, replies } of comments) {
		into.add(id)
		idsOf(replies, into)
	}
	return into
}

function idIn(params: URLSearchParams, name: string): number | null {
	const text = params.get(name) ?? ''
	return /^\d{1,10}$/.test(text) ? Number(text) : null
}

/**
 * The comment that the address names with `#comment-{id}`, to be highlighted; null before scripts run, as the server does not know
 * it. When it is reached by a link within the site, it is unfolded and gets the focus; so does the heading by `#comments`, where the
 * link or the deleted comment that had the focus is gone.
 */
export function useHighlightedComment(): number | null {
	const { hash, key } = useLocation()
	const [marked, setMarked] = useState<number | null>(null)

	useEffect(() => {
		const id = /^#comment-([1-9]\d{0,9})$/.exec(hash)?.[1]
		setMarked(id === undefined ? null : Number(id))
		if (key === 'default' || isWriting()) return
		if (id !== undefined) focusPart(`comment-${id}`)
		else if (hash === '#comments' && document.activeElement === document.body) focusPart('comments')
	}, [hash, key])

	return marked
}

/** Whether the focus is in a text that is not sent, as the reader went on typing while a comment was sent. */
function isWriting(): boolean {
	return document.activeElement instanceof HTMLTextAreaElement && document.activeElement.value !== ''
}

const titles: Record<CommentSort, string> = { oldest: 'Oldest first', best: 'Best first' }
const sorts: CommentSort[] = ['best', 'oldest']

/** The order of comments, and a menu of other orders, which works without scripts; the address names it. */
function SortLinks({ question, sort }: { question: ShownQuestion; sort: CommentSort }) {
	return (
		<nav className="print:hidden" aria-label="Order of the comments">
			{/* Remounted for another order, so that choosing one closes it. */}
			<details key={sort} className="relative" onBlur={closeWhenLeft} onKeyDown={closeOnEscape}>
				<summary className="quiet-link flex cursor-pointer list-none items-center gap-1.5 max-sm:-my-3 max-sm:min-h-11 [&::-webkit-details-marker]:hidden">
					{titles[sort]}
					<Icon of={ChevronDown} className="icon-sm" />
				</summary>
				<ul className="popup menu absolute top-full right-0 z-(--z-popover) mt-1.5 w-40">
					{sorts.map((one) => (
						<li key={one}>
							<Link
								className={`menu-item ${one === sort ? 'font-semibold text-ink' : ''}`}
								to={`${partOf(question, { sort: one })}#comments`}
								aria-current={one === sort || undefined}
								rel="nofollow"
								preventScrollReset
							>
								{titles[one]}
							</Link>
						</li>
					))}
				</ul>
			</details>
		</nav>
	)
}

function closeWhenLeft({ currentTarget, relatedTarget }: FocusEvent<HTMLDetailsElement>): void {
	if (!currentTarget.contains(relatedTarget)) currentTarget.open = false
}

function closeOnEscape({ currentTarget, key }: KeyboardEvent<HTMLDetailsElement>): void {
	if (key !== 'Escape' || !currentTarget.open) return
	currentTarget.open = false
	currentTarget.querySelector('summary')?.focus()
}
