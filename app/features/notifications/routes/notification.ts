import { redirect } from 'react-router'
import { requireId } from '~/lib/checks.ts'
import { NotFound } from '~/lib/errors.ts'
import { isPrefetch, redirectWithToast, requireLogin, withHttpErrors } from '~/platform/http/http.ts'
import { openNotification } from '../notifications.server.ts'
import type { Route } from './+types/notification'

/** `/notifications/{id}`: marks a notification as read, and redirects to where it leads; to the list where it was withdrawn. */
export function loader({ request, params, context, url }: Route.LoaderArgs) {
	return withHttpErrors(async () => {
		const viewer = requireLogin(context, url)
		const isReading = !isPrefetch(request)
		try {
			return redirect(await openNotification(viewer, requireId(params.id), isReading))
		} catch (error) {
			if (!(error instanceof NotFound && isReading)) throw error
			return redirectWithToast('/notifications', { type: 'error', message: error.message })
		}
	})
}

/** Never shown, but an address without a page would answer errors as JSON. */
export default () => null
