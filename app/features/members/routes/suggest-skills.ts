import { countUse } from '~/features/rate-limits/rate-limits.server.ts'
import { viewerOf } from '~/lib/context.ts'
import { pluralize } from '~/lib/text.ts'
import { withHttpErrors } from '~/platform/http/http.ts'
import { suggestSkills } from '../skills.server.ts'
import type { Route } from './+types/suggest-skills'

const MAX_SUGGESTIONS = 8

/** Suggests skills for the edit form. Members only. */
export async function loader({ context, url }: Route.LoaderArgs) {
	const viewer = viewerOf(context)
	if (!viewer) return Response.json({ suggestions: [] }, { status: 401 })
	return withHttpErrors(async () => {
		await countUse('suggestions', viewer)
		const found = await suggestSkills(url.searchParams.get('q') ?? '', MAX_SUGGESTIONS)
		const suggestions = found.map(({ name, count, isRelated }) => ({
			value: name,
			note: [isRelated ? 'related' : '', count > 0 ? pluralize(count, 'member') : ''].filter(Boolean).join(', '),
		}))
		return Response.json({ suggestions }, { headers: { 'Cache-Control': 'private, max-age=60' } })
	})
}
