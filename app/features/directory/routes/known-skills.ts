import { data } from 'react-router'
import { countUse } from '~/features/accounts/security/rates.server.ts'
import { factsOf, viewerOf } from '~/lib/context.ts'
import { answering } from '~/platform/http/http.ts'
import { wishOf } from '../directory.paths.ts'
import { suggestKnownSkills } from '../suggestions.server.ts'
import type { Route } from './+types/known-skills'

/** `/suggest/known-skills?q=`: skills that listed members have, as JSON, for the filter. Open to everybody. */
export function loader({ url, context }: Route.LoaderArgs) {
	return answering(async () => {
		await countUse('suggestions', viewerOf(context), factsOf(context).ip)
		const suggestions = await suggestKnownSkills(wishOf(url.searchParams).q)
		return data({ suggestions }, { headers: { 'Cache-Control': 'private, max-age=30' } })
	})
}
