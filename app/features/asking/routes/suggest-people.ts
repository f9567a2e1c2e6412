import { countUse } from '~/features/rate-limits/rate-limits.server.ts'
import { viewerOf } from '~/lib/context.ts'
import { respondJson } from '~/platform/http/http.ts'
import { suggestMentions } from '../asking.server.ts'
import type { Route } from './+types/suggest-people'

const MAX_SUGGESTIONS = 8

/** `/suggest/people?q=&query=`: members to mention, as JSON. Members only. */
export async function loader({ context, url }: Route.LoaderArgs): Promise<Response> {
	const viewer = viewerOf(context)
	const headers = { 'Cache-Control': 'private, no-store' }
	if (!viewer) return Response.json({ suggestions: [] }, { status: 401, headers })
	return respondJson(async () => {
		await countUse('suggestions', viewer)
		const { searchParams } = url
		const found = await suggestMentions(searchParams.get('q') ?? '', Number(searchParams.get('query')), MAX_SUGGESTIONS)
		return { suggestions: found.map(({ username, name }) => ({ value: username, note: name })) }
	})
}
