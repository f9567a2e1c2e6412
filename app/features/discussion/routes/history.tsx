import { AuthorName } from '~/features/members/components/author-name.tsx'
import { historyPath } from '~/features/questions/questions.paths.ts'
import { withParams } from '~/lib/addresses.ts'
import { requireId } from '~/lib/checks.ts'
import { pageMeta } from '~/lib/page-meta.ts'
import { requireLogin, withHttpErrors } from '~/platform/http/http.ts'
import { Link } from '~/ui/link.tsx'
import { LocalTime } from '~/ui/local-time.tsx'
import type { ChangeView, HistoryView } from '../comment.view.ts'
import { readCommentHistory, readQuestionHistory } from '../history.server.ts'
import type { Route } from './+types/history'

/** The edits of a question, or at `/forum/history/comment/{id}` of a comment. */
export function loader({ params, context, url }: Route.LoaderArgs) {
	return withHttpErrors(async () => {
		const viewer = requireLogin(context, url)
		const id = requireId(params.id)
		const what = url.pathname.startsWith('/forum/history/comment/') ? ('comment' as const) : ('query' as const)
		const read = what === 'comment' ? readCommentHistory : readQuestionHistory
		return { id, what, history: await read(viewer, id, url.searchParams.get('cursor') || null) }
	})
}

export function meta({ matches, location }: Route.MetaArgs) {
	const isComment = location.pathname.startsWith('/forum/history/comment/')
	return pageMeta(matches, { title: isComment ? 'Edits of a comment' : 'Edits of a query', noindex: true })
}

export default function History({ loaderData: { id, what, history } }: Route.ComponentProps) {
	return <HistoryPage what={what} here={historyPath(id, what)} history={history} />
}

interface HistoryPageProps {
	what: 'query' | 'comment'
	/** The address of the history itself. */
	here: string
	history: HistoryView
}

/** Earlier versions of a text. Removed and added words are also marked for screen readers. */
function HistoryPage({ what, here, history: { title, url, edits, next } }: HistoryPageProps) {
	return (
		<div className="max-w-[44rem] pt-6 md:pt-8">
			<h1 className="text-2xl leading-9 font-bold">Edits of this {what}</h1>
			<p className="mt-1 text-ink-2">
				<Link className="link wrap-anywhere" to={url}>
					{what === 'query' ? title : `The comment on “${title}”`}
				</Link>
			</p>
			{edits.length === 0 && <p className="mt-6 text-ink-2">There are no edits.</p>}
			<ol className="mt-6 grid gap-8">
				{edits.map((edit, index) => {
					// Edits under a pseudonym have the same time for an hour.
					const key = `${edit.at} ${index}`
					return (
						<li key={key} className="border-t border-line pt-4">
							<p className="text-xs text-ink-3">
								<bdi>
									<AuthorName author={edit.by} look="text-sm font-semibold text-ink" />
								</bdi>{' '}
								{edit.byModerator && 'as a moderator, '}
								<LocalTime at={edit.at} />
							</p>
							{edit.changes.map((change) => (
								<Change key={change.field} change={change} />
							))}
						</li>
					)
				})}
			</ol>
			{next && (
				<p className="mt-6">
					<Link className="btn btn-sm btn-outline" to={withParams(here, { cursor: next })} rel="next">
						Earlier edits
					</Link>
				</p>
			)}
		</div>
	)
}

const marks = {
	added: 'bg-ivy-wash text-ink underline decoration-ivy underline-offset-2',
	removed: 'text-red line-through',
}

function Change({ change: { field, parts } }: { change: ChangeView }) {
	return (
		<div className="mt-3">
			<h2 className="meta">{field}</h2>
			<p className="authored mt-1 whitespace-pre-wrap wrap-anywhere">
				{parts.map(({ kind, text }, index) => {
					const key = `${index}-${kind}`
					if (kind === 'same') return <span key={key}>{text}</span>
					const Mark = kind === 'added' ? 'ins' : 'del'
					return (
						<Mark key={key} className={marks[kind]}>
							{text}
						</Mark>
					)
				})}
			</p>
		</div>
	)
}
