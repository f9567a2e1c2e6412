import { useLocation } from 'react-router'
import { CategoryAndState } from '~/features/question-lists/components/question-card.tsx'
import type { AnswerView, QuestionCardView } from '~/features/questions/question.view.ts'
import { withParams } from '~/lib/addresses.ts'
import { pluralize } from '~/lib/text.ts'
import { Link } from '~/ui/link.tsx'
import { MemoMarkup } from '~/ui/memo-markup.tsx'
import { MoreLink } from '~/ui/more-link.tsx'
import { useTabInView } from '~/ui/tab-row.tsx'
import { RelativeTime } from '~/ui/time.tsx'
import { type MorePage, useMore, withoutDuplicates } from '~/ui/use-more.ts'
import { feedPath, formatPostCount, type PostCounts, type PostKind, postKinds } from '../profiles.view.ts'
import { EmptySection } from './sections.tsx'

interface PostTabsProps {
	shown: PostKind
	counts: PostCounts
}

/** The lists of a member's posts, each with its count. */
export function PostTabs({ shown, counts }: PostTabsProps) {
	const { pathname } = useLocation()
	const list = useTabInView<HTMLUListElement>()
	return (
		<nav aria-label="Posts" className="mb-4">
			<ul ref={list} className="tabs tabs-scroll">
				{postKinds.map(({ kind, label }) => (
					<li key={kind} className="flex-none">
						<Link
							className="tab"
							to={`${pathname}?posts=${kind}`}
							preventScrollReset
							aria-current={kind === shown ? 'page' : undefined}
							data-active={kind === shown || undefined}
						>
							{label} <span className="font-normal text-ink-3">{formatPostCount(counts[kind])}</span>
						</Link>
					</li>
				))}
			</ul>
		</nav>
	)
}

/** A link to the feed of these lists. */
export function FeedLink({ username }: { username: string }) {
	return (
		<p className="meta mt-4 print:hidden">
			<a className="link" href={feedPath(username)} rel="nofollow" type="application/atom+xml">
				Follow in a feed reader
			</a>
		</p>
	)
}

interface OwnPostsProps extends MorePage<QuestionCardView | AnswerView> {
	kind: PostKind
	/** The reader's own questions that wait for a moderator. */
	pending?: QuestionCardView[] | undefined
	/** The other parameters of the list's address, without the cursor. */
	params: Record<string, string>
}

/** A member's posts, newest first. Later pages are appended in place, and restored on going back. */
export function OwnPosts({ page, pending = [], cursor, kind, params }: OwnPostsProps) {
	const { pathname } = useLocation()
	const { rows, nextHref, loading, load } = useMore(page, (next) => withParams(pathname, { ...params, cursor: next }))
	const { label } = postKinds.find((one) => one.kind === kind) ?? postKinds[0]
	return (
		<>
			{rows.length + pending.length === 0 ? (
				<EmptySection>{cursor === null ? `No ${label} Found!` : `No more ${kind}.`}</EmptySection>
			) : (
				<ul className="mt-0.5">
					{pending.map((question) => (
						<li key={question.id} className="border-b border-line py-3 first:pt-0 last:border-0">
							<p className="text-sm text-marigold-ink">Waiting for a moderator</p>
							<h3 className="mt-1 text-md leading-5 font-semibold wrap-anywhere">
								<Link className="quiet-link" to={question.url}>
									{question.title}
								</Link>
							</h3>
						</li>
					))}
					{withoutDuplicates(rows, ({ id }) => id).map((post) => (
						<OwnPost key={post.id} post={post} />
					))}
				</ul>
			)}
			{(nextHref || cursor) && (
				<p className="mt-5 flex gap-2">
					{nextHref && (
						<MoreLink href={nextHref} loading={loading} load={load}>
							{`Load more ${kind}`}
						</MoreLink>
					)}
					{cursor && (
						<Link className="btn btn-sm btn-ghost" to={withParams(pathname, params)} preventScrollReset>
							Newest {kind}
						</Link>
					)}
				</p>
			)}
		</>
	)
}

function OwnPost({ post }: { post: QuestionCardView | AnswerView }) {
	const row = {
		as: 'li' as const,
		className:
			'flex items-start justify-between gap-6 border-b border-line py-3 first:pt-0 last:border-0 max-sm:flex-col max-sm:gap-1',
		times: [post.createdAt],
	}
	return 'solution' in post ? (
		<MemoMarkup {...row} of={OwnAnswer} with={{ answer: post }} />
	) : (
		<MemoMarkup {...row} of={OwnQuestion} with={{ question: post }} />
	)
}

function OwnQuestion({ question }: { question: QuestionCardView }) {
	return (
		<>
			<div className="min-w-0">
				<p className="flex items-center gap-4">
					<CategoryAndState question={question} />
					{question.author.pseudonym && (
						<span className="meta">
							as <bdi>{question.author.name}</bdi>
						</span>
					)}
				</p>
				<h3 className="mt-1 text-md leading-5 font-semibold wrap-anywhere">
					<Link className="quiet-link" to={question.url}>
						{question.title}
					</Link>
				</h3>
			</div>
			<Figures at={question.createdAt}>{pluralize(question.commentCount, 'comment')}</Figures>
		</>
	)
}

function OwnAnswer({ answer }: { answer: AnswerView }) {
	return (
		<>
			<div className="min-w-0">
				{answer.solution && (
					<p className="mb-0.5">
						<span className="answered">Accepted answer</span>
					</p>
				)}
				<h3 className="text-md leading-5 font-semibold wrap-anywhere">
					<Link className="quiet-link" to={answer.url}>
						{answer.title}
					</Link>
				</h3>
				{answer.excerpt && (
					<p className="authored mt-1 line-clamp-2 max-w-read text-ink-2 wrap-anywhere">{answer.excerpt}</p>
				)}
			</div>
			<Figures at={answer.createdAt}>{pluralize(answer.score, 'vote')}</Figures>
		</>
	)
}

function Figures({ at, children }: { at: string; children: string }) {
	return (
		<p className="meta flex-none sm:text-right">
			<RelativeTime at={at} />
			<br className="max-sm:hidden" />
			<span className="sm:hidden"> · </span>
			{children}
		</p>
	)
}
