import { Flag, Pencil, ShieldCheck, Trash2 } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { ReportLink } from '~/features/forum/moderation/components/report-link.tsx'
import { MuteThread } from '~/features/notifications/components/mute-thread.tsx'
import { Answered } from '~/features/search/components/answered.tsx'
import { categoryPath, tagPath } from '~/features/tags/tags.paths.ts'
import { useRootData } from '~/lib/root-data.ts'
import { isModerator } from '~/lib/viewer.ts'
import { Avatar } from '~/ui/avatar.tsx'
import { DeleteControl } from '~/ui/delete-control.tsx'
import { LocalTime } from '~/ui/time.tsx'
import { deleteQuery } from '../../lists/components/delete-question.ts'
import type { QueryPageView } from '../../question.view.ts'
import { editPath, historyPath, profilePath } from '../../questions.paths.ts'
import { CookedText, CopyLink } from './copy.tsx'
import { OriginLine } from './origin-line.tsx'
import { QueryVotes, useQueryVotes } from './votes.tsx'

/** A query with everything but its comments. @param muted whether the viewer is told nothing of it; null for a visitor */
export function QueryArticle({ query, muted }: { query: QueryPageView; muted: boolean | null }) {
	const ballot = useQueryVotes(query)
	return (
		<article className="mt-3 grid grid-cols-1 gap-x-6 sm:grid-cols-[2.5rem_minmax(0,44rem)]">
			<QueryVotes ballot={ballot} place="column" />
			<Head query={query} />
			<div className="mt-5 min-w-0">
				{query.deletedBy ? (
					<p className="text-ink-2">
						{query.deletedBy === 'author' ? 'Who asked this' : 'A moderator'} deleted the question. What others wrote
						about it is kept below.
					</p>
				) : (
					<CookedText html={query.descriptionHtml} />
				)}
				<OriginLine origin={query.origin} />
				<Tools query={query} muted={muted} votes={<QueryVotes ballot={ballot} place="row" />} />
			</div>
		</article>
	)
}

function Head({ query }: { query: QueryPageView }) {
	const { author, category, tags, createdAt, editedAt, solved, title } = query
	return (
		<header className="min-w-0">
			<div className="flex items-center gap-4">
				<Link className="cat" to={categoryPath(category.slug)}>
					{category.title}
				</Link>
				{solved && <Answered />}
			</div>
			<h1 className="mt-1.5 text-2xl font-bold text-balance wrap-anywhere sm:text-3xl">{title}</h1>
			<div className="mt-3 flex flex-wrap items-center gap-x-2 gap-y-1 text-xs text-ink-3">
				<Avatar user={author} size={24} />
				<Link className="quiet-link text-sm font-semibold text-ink wrap-anywhere" to={profilePath(author.username)}>
					{author.name}
				</Link>
				<LocalTime at={createdAt} />
				{editedAt !== null && (
					<Link className="quiet-link" to={historyPath(query.id)} rel="nofollow">
						edited <LocalTime at={editedAt} />
					</Link>
				)}
				<span className="flex flex-wrap gap-x-2.5 gap-y-2 sm:ml-1">
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

/** The line under the text: its height stands before scripts add their button. */
function Tools({ query, muted, votes }: { query: QueryPageView; muted: boolean | null; votes: ReactNode }) {
	const { publicUrl, viewer } = useRootData()
	return (
		<div
			className="mt-5 flex min-h-[2.5625rem] items-center gap-1 border-y border-line py-1.5 text-ink-2"
			data-not-saved=""
		>
			{votes}
			<CopyLink href={publicUrl + query.url} />
			{muted !== null && <MuteThread muted={muted} />}
			<span className="ml-auto flex">
				{isModerator(viewer) && (
					<Link className="icon-btn icon-btn-sm" to={`/moderation/query/${query.id}`} aria-label="Moderate query">
						<ShieldCheck className="icon icon-sm" aria-hidden="true" />
					</Link>
				)}
				{viewer?.username !== query.author.username && query.withheld === null && (
					<ReportLink
						className="icon-btn icon-btn-sm"
						href={`/report/query/${query.id}`}
						what="this query"
						label="Report query"
						signedIn={viewer !== null}
					>
						<Flag className="icon icon-sm" aria-hidden="true" />
					</ReportLink>
				)}
				{query.mayEdit && (
					// Saving leads back here: the edit takes this page's place in the history, so that Back meets the query once.
					<Link className="icon-btn icon-btn-sm" to={editPath(query.url)} replace aria-label="Edit query">
						<Pencil className="icon icon-sm" aria-hidden="true" />
					</Link>
				)}
				{query.mayDelete && (
					<DeleteControl
						className="icon-btn icon-btn-sm hover:text-red"
						label="Delete query"
						question={deleteQuery(query)}
					>
						<Trash2 className="icon icon-sm" aria-hidden="true" />
					</DeleteControl>
				)}
			</span>
		</div>
	)
}
