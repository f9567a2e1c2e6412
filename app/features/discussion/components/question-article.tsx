import { ArrowLeft, Bell, BellOff, Flag, MessageSquare, Pencil, ShieldCheck, Trash2 } from 'lucide'
import type { ReactNode } from 'react'
import { useLocation, useNavigate } from 'react-router'
import { BookmarkButton } from '~/features/bookmarks/components/bookmark-button.tsx'
import { AffectedLine } from '~/features/following/components/follow-buttons.tsx'
import { AuthorName } from '~/features/members/components/author-name.tsx'
import { type AuthorView, type Introduction, keepTogether } from '~/features/members/members.view.ts'
import { ReportLink } from '~/features/moderation/components/report-link.tsx'
import { CategoryAndState, confirmDeletion } from '~/features/question-lists/components/question-card.tsx'
import type { OriginView } from '~/features/questions/question.view.ts'
import { editPath, historyPath } from '~/features/questions/questions.paths.ts'
import { isClosed, isReportable } from '~/features/questions/questions.policy.ts'
import { tagPath } from '~/features/tags/tags.view.ts'
import { InvitedNotice, InviteLink } from '~/features/upkeep/components/invitation.tsx'
import { useRootData } from '~/lib/root-data.ts'
import { isModerator } from '~/lib/viewer.ts'
import { Avatar } from '~/ui/avatar.tsx'
import { DeleteControl } from '~/ui/delete-control.tsx'
import { Icon } from '~/ui/icon.tsx'
import { Form, Link } from '~/ui/link.tsx'
import { LocalTime } from '~/ui/local-time.tsx'
import { MemoMarkup } from '~/ui/memo-markup.tsx'
import { CopyLink, RenderedText } from '~/ui/rendered-text.tsx'
import { SectionHeading } from '~/ui/section-heading.tsx'
import type { ShownQuestion } from './discussion-context.ts'
import { QuestionVotes, useQuestionVotes } from './votes.tsx'

interface ArticleProps {
	question: ShownQuestion
	/** Whether the viewer has muted it; null for a visitor. */
	muted: boolean | null
	viewer: { signedIn: boolean; moderates: boolean; isAuthor: boolean }
	/** Address of the site, without a slash at the end; path and query of the page. */
	publicUrl: string
	here: string
}

/** A question without its comments. @param muted whether the viewer has muted it; null for a visitor */
export function QuestionArticle({ question, muted }: { question: ShownQuestion; muted: boolean | null }) {
	const { publicUrl, viewer } = useRootData()
	const { pathname, search } = useLocation()
	return (
		<MemoMarkup
			as="article"
			className="mt-3 grid grid-cols-1 gap-x-6 sm:grid-cols-[2.5rem_minmax(0,44rem)]"
			of={Article}
			with={{
				question,
				muted,
				viewer: {
					signedIn: viewer !== null,
					moderates: isModerator(viewer),
					isAuthor: question.own,
				},
				publicUrl,
				here: pathname + search,
			}}
		/>
	)
}

function Article(props: ArticleProps) {
	const { question, viewer } = props
	const ballot = useQuestionVotes(question, viewer.signedIn)
	return (
		<>
			<QuestionVotes ballot={ballot} place="column" />
			<Head question={question} />
			<div className="mt-5 min-w-0">
				{question.deletedBy ? (
					<p className="text-ink-2">
						{question.deletedBy === 'author' ? 'The author' : 'A moderator'} deleted this query. The comments of others
						are still below.
					</p>
				) : (
					<RenderedText html={question.descriptionHtml} />
				)}
				<OriginLine origin={question.origin} />
				{question.invited && <InvitedNotice question={question.id} />}
				{!isClosed(question) && (
					<AffectedLine
						questionId={question.id}
						following={question.following}
						affected={question.affected}
						count={question.affectedCount}
						mayPress={viewer.signedIn && !question.own}
					/>
				)}
				<Tools {...props} votes={<QuestionVotes ballot={ballot} place="row" />} />
			</div>
		</>
	)
}

function Head({ question }: { question: ShownQuestion }) {
	const { author, tags, createdAt, editedAt, title } = question
	return (
		<header className="min-w-0">
			<div className="flex items-center gap-4">
				<CategoryAndState question={question} />
			</div>
			<h1 className="authored mt-1.5 text-2xl font-bold text-balance wrap-anywhere sm:text-3xl">{title}</h1>
			<div className="mt-3 flex flex-wrap items-center gap-x-2 gap-y-1 text-xs text-ink-3">
				<Avatar user={author} size={24} />
				<AuthorName author={author} look="max-w-[calc(100%-2rem)] text-sm font-semibold text-ink wrap-anywhere" />
				{author.pseudonym && <span className="lg:hidden">(a pseudonym)</span>}
				<LocalTime at={createdAt} />
				{editedAt !== null && (
					<Link className="quiet-link" to={historyPath(question.id)} rel="nofollow">
						edited <LocalTime at={editedAt} />
					</Link>
				)}
				<span className="flex flex-wrap gap-x-2.5 gap-y-2">
					{tags.map((tag) => (
						<Link key={tag} className="tag" to={tagPath(tag)}>
							{tag}
						</Link>
					))}
				</span>
			</div>
		</header>
	)
}

/** The actions below the text. */
function Tools({ question, muted, viewer, publicUrl, here, votes }: ArticleProps & { votes: ReactNode }) {
	const closed = isClosed(question)
	return (
		<div
			className="mt-5 flex min-h-[2.5625rem] flex-wrap items-center gap-1 border-y border-line py-1.5 text-ink-2"
			data-not-saved=""
		>
			{votes}
			<CopyLink href={publicUrl + question.url} />
			{viewer.signedIn && !closed && (
				<BookmarkButton kind="query" id={question.id} bookmarked={question.bookmarked} label="Bookmark this query" />
			)}
			{viewer.signedIn && !question.locked && !closed && <InviteLink question={question.id} />}
			{muted !== null && !closed && <MuteThread muted={muted} action={here} />}
			<span className="ml-auto flex">
				{viewer.moderates && (
					<Link className="icon-btn icon-btn-sm" to={`/moderation/query/${question.id}`} aria-label="Moderate query">
						<Icon of={ShieldCheck} className="icon-sm" />
					</Link>
				)}
				{!viewer.isAuthor && isReportable(question) && (
					<ReportLink
						className="icon-btn icon-btn-sm"
						href={`/report/query/${question.id}`}
						what="this query"
						label="Report query"
						signedIn={viewer.signedIn}
					>
						<Icon of={Flag} className="icon-sm" />
					</ReportLink>
				)}
				{question.mayEdit && (
					// Saving leads back here: the edit page replaces this one in the history, so that Back meets the question once.
					<Link className="icon-btn icon-btn-sm" to={editPath(question.url)} replace aria-label="Edit query">
						<Icon of={Pencil} className="icon-sm" />
					</Link>
				)}
				{question.mayDelete && (
					<DeleteControl
						className="icon-btn icon-btn-sm hover:text-red"
						label="Delete query"
						question={confirmDeletion(question)}
					>
						<Icon of={Trash2} className="icon-sm" />
					</DeleteControl>
				)}
			</span>
		</div>
	)
}

/** Mutes or unmutes the question; `intent` is the page's. */
function MuteThread({ muted, action }: { muted: boolean; action: string }) {
	return (
		<Form method="post" action={action} className="flex">
			<button
				className="icon-btn icon-btn-sm"
				type="submit"
				name="intent"
				value={muted ? 'unmute' : 'mute'}
				aria-pressed={muted}
				aria-label="Mute this query"
				title={muted ? 'Muted: no notifications about this query' : 'Mute this query'}
			>
				<Icon of={muted ? BellOff : Bell} className="icon-sm" />
			</button>
		</Form>
	)
}

/** The author, beside the question; on narrow screens their name is above the text. */
export function AskedBy({
	author,
	introduction,
	own: isOwn,
}: {
	author: AuthorView
	introduction: Introduction
	own: boolean
}) {
	return <MemoMarkup as="div" className="max-lg:hidden" of={Asker} with={{ author, introduction, isOwn }} />
}

interface AskerProps {
	author: AuthorView
	introduction: Introduction
	/** Whether the viewer is the author. */
	isOwn: boolean
}

function Asker({ author, introduction, isOwn }: AskerProps) {
	return (
		<>
			<SectionHeading title="Asked by" />
			<div className="flex items-center gap-3 pb-1">
				<Avatar user={author} size={40} />
				<div className="min-w-0">
					<p className="font-semibold wrap-anywhere">
						<AuthorName author={author} />
					</p>
					{author.pseudonym ? (
						<p className="meta wrap-anywhere">{isOwn ? 'You, under a pseudonym' : 'A pseudonym'}</p>
					) : introduction.summary ? (
						<p className="meta wrap-anywhere">{keepTogether(introduction.summary)}</p>
					) : (
						<p className="handle truncate">@{author.username}</p>
					)}
				</div>
			</div>
			{!introduction.imported && !isOwn && (
				<Link className="btn btn-accent btn-sm mt-2 w-full" to={`/messages/${author.username}`} rel="nofollow">
					<Icon of={MessageSquare} className="icon-sm" />
					Chat<span className="sr-only"> with {author.name}</span>
				</Link>
			)}
		</>
	)
}

/** Back to the list that the reader came from, at its scroll position; otherwise to the newest questions. */
export function BackLink() {
	const navigate = useNavigate()
	return (
		<Link
			className="btn btn-sm btn-ghost -ml-2.5"
			to="/forum"
			onClick={(event) => {
				// React Router numbers the pages of a visit: there is no earlier page of this site before the first.
				if (
					!((window.history.state as { idx?: number } | null)?.idx ?? 0) ||
					event.metaKey ||
					event.ctrlKey ||
					event.shiftKey ||
					event.altKey
				)
					return
				event.preventDefault()
				navigate(-1)
			}}
		>
			<Icon of={ArrowLeft} /> Back
		</Link>
	)
}

/** The source and licence of an imported text. */
export function OriginLine({ origin }: { origin: OriginView | null }) {
	if (!origin) return null
	const host = origin.url === null ? null : hostOf(origin.url)
	return (
		<p className="meta mt-3">
			{host !== null && origin.url !== null && (
				<>
					From{' '}
					<a className="link" href={origin.url} rel="nofollow noopener">
						{host}
					</a>
				</>
			)}
			{host !== null && origin.licence ? ', ' : ''}
			{origin.licence}
		</p>
	)
}

/** The host of an http(s) address, or null: other addresses are not linked. */
export function hostOf(address: string): string | null {
	const url = URL.parse(address)
	return url && /^https?:$/.test(url.protocol) ? url.hostname.replace(/^www\./, '') : null
}
