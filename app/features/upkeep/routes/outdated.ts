import { redirect } from 'react-router'
import { readId } from '~/lib/checks.ts'
import { readForm } from '~/platform/http/form.server.ts'
import { answering, redirectWithToast, refererPath, signedIn } from '~/platform/http/http.ts'
import { sayOutdated, takeOutdatedBack } from '../outdated.server.ts'
import type { Route } from './+types/outdated'

export function loader() {
	return redirect('/forum')
}

/** Reports a solution: fields `comment`, `value` (1, or 0 to withdraw), `reason`. */
export async function action({ request, context }: Route.ActionArgs) {
	const form = await readForm(request)
	return answering(async () => {
		const viewer = signedIn(context, new URL(refererPath(request, '/forum'), request.url))
		const id = readId(form.get('comment'))
		const isSaid = form.get('value') !== '0'
		const { url } = isSaid
			? await sayOutdated(viewer, id, { reason: form.get('reason') ?? '' })
			: await takeOutdatedBack(viewer, id)
		const message = isSaid ? 'Noted. Thank you.' : 'Undone.'
		return redirectWithToast(url, { type: 'success', message })
	})
}
