import { readId } from '~/lib/ids.ts'
import { pageMeta } from '~/lib/page-meta.ts'
import { answering, signedIn } from '~/platform/http/http.ts'
import { HistoryPage } from '../history/components/history-page.tsx'
import { readQueryHistory } from '../history/history.server.ts'
import { historyPath } from '../questions.paths.ts'
import type { Route } from './+types/history'

export function loader({ params, context, url }: Route.LoaderArgs) {
	return answering(async () => {
		const viewer = signedIn(context, url)
		const id = readId(params.id)
		return { id, history: await readQueryHistory(viewer, id, url.searchParams.get('cursor') || null) }
	})
}

export function meta({ matches }: Route.MetaArgs) {
	return pageMeta(matches, { title: 'Edits of a query', noindex: true })
}

export default function QueryHistory({ loaderData: { id, history } }: Route.ComponentProps) {
	return <HistoryPage what="query" here={historyPath(id, 'query')} history={history} />
}
