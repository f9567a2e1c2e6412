import { redirect } from 'react-router'
import { withParams } from '~/lib/addresses.ts'
import { Invalid } from '~/lib/errors.ts'
import { readForm } from '~/platform/http/form.server.ts'
import { csvResponse, redirectWithToast, requireLogin, withHttpErrors } from '~/platform/http/http.ts'
import { exportMembers, readFilters, readSelectedMembers } from '../members/members.server.ts'
import { membersPath } from '../members/members.view.ts'
import type { Route } from './+types/members-csv'

export function loader() {
	return redirect(membersPath)
}

/** Exports the members that match the filters, or with `choose` the ticked ones, as CSV. A POST, as it is logged. */
export function action({ request, context, url }: Route.ActionArgs) {
	return withHttpErrors(async () => {
		const viewer = requireLogin(context, url)
		const form = await readForm(request)
		const filters = readFilters(form)
		let ids: number[] | null
		try {
			ids = form.has('choose') ? readSelectedMembers(form) : null
		} catch (error) {
			if (!(error instanceof Invalid)) throw error
			return redirectWithToast(withParams(membersPath, { ...filters }), { type: 'error', message: error.message })
		}
		return csvResponse('members.csv', await exportMembers(viewer, filters, ids))
	})
}
