import { historyPath } from '~/features/questions/questions.paths.ts'
import { readId } from '~/lib/checks.ts'
import { pageMeta } from '~/lib/page-meta.ts'
import { answering, signedIn } from '~/platform/http/http.ts'
import { HistoryPage } from '../components/history-page.tsx'
import { readCommentHistory, readQuestionHistory } from '../history.server.ts'
import type { Route } from './+types/history'

/** The edits of a question, or at `/forum/history/comment/{id}` of a comment. */
export function loader({ params, context, url }: Route.LoaderArgs) {
	return answering(async () => {
		const viewer = signedIn(context, url)
		const id = readId(params.id)
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
