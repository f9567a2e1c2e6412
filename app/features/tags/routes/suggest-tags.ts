import { countUse } from '~/features/rate-limits/rate-limits.server.ts'
import { factsOf, viewerOf } from '~/lib/context.ts'
import { pluralize } from '~/lib/text.ts'
import { withHttpErrors } from '~/platform/http/http.ts'
import { suggestTagsFor } from '../tags.server.ts'
import type { Route } from './+types/suggest-tags'

const MAX_SUGGESTIONS = 8

/** `/suggest/tags?q=`: suggests tags for the ask form, as JSON. Public; reserved tags are only suggested to moderators. */
export async function loader({ context, url }: Route.LoaderArgs): Promise<Response> {
	return withHttpErrors(async () => {
		const viewer = viewerOf(context)
		await countUse('suggestions', viewer, factsOf(context).ip)
		const found = await suggestTagsFor(viewer, url.searchParams.get('q') ?? '', MAX_SUGGESTIONS)
		const suggestions = found.map(({ name, count, isRelated }) => ({
			value: name,
			note: [isRelated ? 'related' : '', count > 0 ? pluralize(count, 'query', 'queries') : '']
				.filter(Boolean)
				.join(', '),
		}))
		return Response.json({ suggestions }, { headers: { 'Cache-Control': 'private, max-age=60' } })
	})
}
