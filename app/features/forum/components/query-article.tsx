import { Pencil, Trash2 } from 'lucide-react'
import { Link } from 'react-router'
import { useRootData } from '~/lib/root-data.ts'
import { Avatar } from '~/ui/avatar.tsx'
import { DeleteControl } from '~/ui/delete-control.tsx'
import { LocalTime } from '~/ui/time.tsx'
import { categoryPath, editPath, historyPath, profilePath, tagPath } from '../forum.paths.ts'
import type { QueryPageView } from '../forum.present.ts'
import { Answered } from './answered.tsx'
import { CookedText, CopyLink } from './copy.tsx'
import { deleteQuery } from './delete-query.ts'
import { OriginLine } from './origin-line.tsx'

/** A query with everything but its comments. */
export function QueryArticle({ query }: { query: QueryPageView }) {
	return (
		<article className="mt-3 grid grid-cols-1 gap-x-6 sm:grid-cols-[2.5rem_minmax(0,44rem)]">
			<p className="row-span-2 flex flex-col items-center pt-5 max-sm:hidden">
				<span className="num text-lg font-semibold">{query.score}</span>
				<span className="meta">{votes(query.score)}</span>
			</p>
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
				<Tools query={query} />
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
function Tools({ query }: { query: QueryPageView }) {
	const { publicUrl } = useRootData()
	return (
		<div className="mt-5 flex min-h-[2.5625rem] items-center gap-1 border-y border-line py-1.5 text-ink-2">
			<span className="pr-3 sm:hidden">
				<span className="num text-md font-semibold text-ink">{query.score}</span>{' '}
				<span className="meta">{votes(query.score)}</span>
			</span>
			<CopyLink href={publicUrl + query.url} />
			<span className="ml-auto flex">
				{query.mayEdit && (
					<Link className="icon-btn icon-btn-sm" to={editPath(query.url)} aria-label="Edit query">
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

function votes(score: number): string {
	return Math.abs(score) === 1 ? 'vote' : 'votes'
}
