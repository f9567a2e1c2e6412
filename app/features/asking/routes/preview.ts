import { factsOf, viewerOf } from '~/lib/context.ts'
import { readForm } from '~/platform/http/form.server.ts'
import { respondJson } from '~/platform/http/http.ts'
import { previewDescription } from '../asking.server.ts'
import type { Route } from './+types/preview'

/** Renders `description` without storing it. Responds with `{ html }`, or `{ message }` with the status of the error. */
export function action({ request, context }: Route.ActionArgs): Promise<Response> {
	return respondJson(async () =>
		previewDescription(viewerOf(context), factsOf(context).ip, Object.fromEntries(await readForm(request))),
	)
}

export function loader(): Response {
	return new Response('There is no such page.', { status: 404 })
}
