import { data } from 'react-router'
import { answering } from '~/lib/http.ts'
import { wishOf } from '../directory.paths.ts'
import { suggestKnownSkills } from '../suggestions.server.ts'
import type { Route } from './+types/known-skills'

/** `/suggest/known-skills?q=`: skills that listed members have, as JSON, for the filter. Open to everybody. */
export function loader({ url }: Route.LoaderArgs) {
	return answering(async () => {
		const suggestions = await suggestKnownSkills(wishOf(url.searchParams).q)
		return data({ suggestions }, { headers: { 'Cache-Control': 'private, max-age=30' } })
	})
}
