import { viewerOf } from '~/lib/context.ts'
import { readForm } from '~/platform/http/form.server.ts'
import { respondJson } from '~/platform/http/http.ts'
import { discardDraft, getDraft, saveDraft } from '../drafts.server.ts'
import type { Route } from './+types/drafts'

/** `?key=`: the viewer's draft of a form as `{ draft }`, null without one. */
export function loader({ context, url }: Route.LoaderArgs): Promise<Response> {
	return respondJson(async () => ({ draft: await getDraft(viewerOf(context), url.searchParams.get('key') ?? '') }))
}

/** POST stores a draft, DELETE deletes it. An error is `{ message }` with its status. */
export function action({ request, context }: Route.ActionArgs): Promise<Response> {
	const viewer = viewerOf(context)
	return respondJson(async () => {
		const form = await readForm(request)
		if (request.method !== 'DELETE') return saveDraft(viewer, Object.fromEntries(form))
		await discardDraft(viewer, String(form.get('key')))
		return {}
	})
}
