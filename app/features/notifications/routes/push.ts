import { redirect } from 'react-router'
import { sessionOf } from '~/features/accounts/viewer.server.ts'
import { viewerOf } from '~/lib/context.ts'
import { chooseIntent, readForm } from '~/platform/http/form.server.ts'
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
		await chooseIntent(form.get('intent'), {
			on: async () => subscribeBrowser(await sessionOf(request), form),
			off: () => unsubscribeBrowser(viewerOf(context), form),
			renew: async () => renewSubscription(await sessionOf(request), form),
		})
		return { done: true }
	})
}
