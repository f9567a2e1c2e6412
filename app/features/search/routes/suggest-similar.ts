import { data } from 'react-router'
import { countUse } from '~/features/rate-limits/rate-limits.server.ts'
import { requireId } from '~/lib/checks.ts'
import { factsOf, viewerOf } from '~/lib/context.ts'
import { readForm } from '~/platform/http/form.server.ts'
import { withHttpErrors } from '~/platform/http/http.ts'
import { findSimilar, recordHelped } from '../similar/similar.server.ts'
import type { Route } from './+types/suggest-similar'

const headers = { 'Cache-Control': 'private, no-store' }

/** `/suggest/similar?title=&description=`: questions that may answer the one being written, as JSON. Open to everybody. */
export function loader({ url, context }: Route.LoaderArgs) {
	return withHttpErrors(async () => {
		await countUse('similar', viewerOf(context), factsOf(context).ip)
		const title = url.searchParams.get('title') ?? ''
		const description = url.searchParams.get('description') ?? ''
		return data({ rows: await findSimilar({ title, description }) }, { headers })
	})
}

/** Stores that the question in the field `query` had the answer; responds with `{ url }`, its address. */
export function action({ request, context }: Route.ActionArgs) {
	return withHttpErrors(async () => {
		const viewer = viewerOf(context)
		await countUse('solvedBySimilar', viewer, factsOf(context).ip)
		const form = await readForm(request)
		return data(await recordHelped(viewer, requireId(form.get('query'))), { headers })
	})
}
