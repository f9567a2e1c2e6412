import { currentUsername } from '~/features/identity/usernames/former-names.server.ts'
import { viewerOf } from '~/lib/context.ts'
import { NotAllowed } from '~/lib/errors.ts'
import { readForm, readText } from '~/platform/http/form.server.ts'
import { respondJson } from '~/platform/http/http.ts'
import { discardDraft, getDraft, saveDraft } from '../drafts.server.ts'
import type { Route } from './+types/drafts'

/** `?key=`: the viewer's draft of a form as `{ draft }`, null without one. */
export function loader({ context, url }: Route.LoaderArgs): Promise<Response> {
	return respondJson(async () => ({ draft: await getDraft(viewerOf(context), url.searchParams.get('key') ?? '') }))
}

/**
 * POST stores a draft, DELETE deletes it. `me` is the member that the form was made for: if another one has logged in since, it is not theirs. An
 * error is `{ message }` with its status.
 */
export function action({ request, context }: Route.ActionArgs): Promise<Response> {
	const viewer = viewerOf(context)
	return respondJson(async () => {
		const form = await readForm(request)
		const me = readText(form, 'me')
		if (viewer && me !== '' && (await currentUsername(me)) !== viewer.username)
			throw new NotAllowed('Someone else has logged in in this browser. Reload the page.')
		if (request.method !== 'DELETE') return saveDraft(viewer, Object.fromEntries(form))
		await discardDraft(viewer, readText(form, 'key'))
		return {}
	})
}
