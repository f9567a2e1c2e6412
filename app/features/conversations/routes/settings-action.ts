import { redirect } from 'react-router'
import { readForm } from '~/platform/http/form.server.ts'
import { redirectWithSuccess, requireLogin, withHttpErrors } from '~/platform/http/http.ts'
import { setBlocked, setChatSettings } from '../conversations.server.ts'
import type { Route } from './+types/settings-action'

/** Handles the forms of {@link file://./settings.tsx}, which is a section without an address of its own. */
export async function action({ request, context, url }: Route.ActionArgs) {
	const viewer = requireLogin(context, url)
	const form = await readForm(request)
	return withHttpErrors(async () => {
		const unblocked = form.get('unblock')
		if (unblocked !== null) {
			await setBlocked(viewer, unblocked, false)
			return redirectWithSuccess('/settings', 'Unblocked.')
		}
		await setChatSettings(viewer, Object.fromEntries(form))
		const message = form.has('typing') ? 'Typing setting saved.' : 'Message setting saved.'
		return redirectWithSuccess('/settings', message)
	})
}

export function loader() {
	return redirect('/settings')
}
