import { countUse } from '~/features/rate-limits/rate-limits.server.ts'
import { viewerOf } from '~/lib/context.ts'
import { withHttpErrors } from '~/platform/http/http.ts'
import { suggestUniversities } from '../universities.server.ts'
import type { Route } from './+types/suggest-universities'

const MAX_SUGGESTIONS = 8

/** Suggests universities for the academics form. Members only. */
export async function loader({ context, url }: Route.LoaderArgs) {
	const viewer = viewerOf(context)
	if (!viewer) return Response.json({ suggestions: [] }, { status: 401 })
	return withHttpErrors(async () => {
		await countUse('suggestions', viewer)
		const found = suggestUniversities(url.searchParams.get('q') ?? '', MAX_SUGGESTIONS)
		const suggestions = found.map(({ name, country }) => ({ value: name, note: country }))
		return Response.json({ suggestions }, { headers: { 'Cache-Control': 'private, max-age=3600' } })
	})
}
