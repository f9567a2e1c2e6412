import { redirect } from 'react-router'
import { requireId } from '~/lib/checks.ts'
import { isPrefetch, requireLogin, withHttpErrors } from '~/platform/http/http.ts'
import { openNotification } from '../notifications.server.ts'
import type { Route } from './+types/notification'

/** `/notifications/{id}`: marks a notification as read, and redirects to where it leads. */
export function loader({ request, params, context, url }: Route.LoaderArgs) {
	return withHttpErrors(async () => {
		const viewer = requireLogin(context, url)
		return redirect(await openNotification(viewer, requireId(params.id), !isPrefetch(request)))
	})
}

/** Never shown, but a reader gets the error of an address without a page as JSON. */
export default () => null
