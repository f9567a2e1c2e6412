import { requirePageAdmin } from '~/features/administration/admins.server.ts'
import { csvResponse, withHttpErrors } from '~/platform/http/http.ts'
import { exportFigures } from '../usage.server.ts'
import type { Route } from './+types/figures-csv'

/** The figures of all stored weeks as CSV. */
export function loader(args: Route.LoaderArgs) {
	return withHttpErrors(async () => csvResponse('figures.csv', await exportFigures(await requirePageAdmin(args))))
}
