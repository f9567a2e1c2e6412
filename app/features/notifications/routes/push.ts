import { redirect } from 'react-router'
import { sessionOf } from '~/features/accounts/accounts.server.ts'
import { viewerOf } from '~/lib/context.ts'
import { readForm } from '~/platform/http/form.server.ts'
import { respondJson } from '~/platform/http/http.ts'
import { renewSubscription, subscribeBrowser, unsubscribeBrowser } from '../push/subscribing.server.ts'
import type { Route } from './+types/push'

export function loader() {
	return redirect('/settings#notifications')
}

/**
 * Turns pushes on or off in this browser, or replaces its subscription: `intent` is `on`, `off` or `renew`, with the fields of the
 * subscription.
 */
export async function action({ request, context }: Route.ActionArgs) {
	const form = await readForm(request)
	return respondJson(async () => {
		if (form.get('intent') === 'off') await unsubscribeBrowser(viewerOf(context), form)
		else if (form.get('intent') === 'renew') await renewSubscription(await sessionOf(request), form)
		else await subscribeBrowser(await sessionOf(request), form)
		return { done: true }
	})
}
