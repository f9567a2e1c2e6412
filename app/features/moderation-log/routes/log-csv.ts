import { redirect } from 'react-router'
import { readForm } from '~/platform/http/form.server.ts'
import { csvResponse, requireLogin, withHttpErrors } from '~/platform/http/http.ts'
import { exportLog, readLogFilters } from '../log.server.ts'
import { logPath } from '../log.view.ts'
import type { Route } from './+types/log-csv'

export function loader() {
	return redirect(logPath)
}

/** Exports the entries that match the filters as CSV. A POST, as it is logged. */
export function action({ request, context, url }: Route.ActionArgs) {
	return withHttpErrors(async () => {
		const viewer = requireLogin(context, url)
		const filters = readLogFilters(await readForm(request))
		return csvResponse('moderation-log.csv', await exportLog(viewer, filters))
	})
}
