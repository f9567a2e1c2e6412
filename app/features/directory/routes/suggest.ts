import { data } from 'react-router'
import { countUse } from '~/features/rate-limits/rate-limits.server.ts'
import { factsOf, viewerOf } from '~/lib/context.ts'
import { withHttpErrors } from '~/platform/http/http.ts'
import { criteriaOf } from '../directory.paths.ts'
import { suggest, suggestKnownSkills } from '../suggestions.server.ts'
import type { Route } from './+types/suggest'

/**
 * Suggestions while typing, as JSON, open to everybody. `/suggest/developers?q=`: people, skills and universities for the header's
 * search. `/suggest/known-skills?q=`: skills of listed members for the filter.
 */
export function loader({ url, context }: Route.LoaderArgs) {
	return withHttpErrors(async () => {
		const viewer = viewerOf(context)
		await countUse('suggestions', viewer, factsOf(context).ip)
		const { q } = criteriaOf(url.searchParams)
		const isOfSkills = url.pathname.startsWith('/suggest/known-skills')
		const found = isOfSkills ? { suggestions: await suggestKnownSkills(q) } : await suggest(q, viewer)
		return data(found, { headers: { 'Cache-Control': 'private, max-age=30' } })
	})
}
