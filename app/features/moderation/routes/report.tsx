import { pageMeta } from '~/lib/page-meta.ts'
import { readForm, refuseForm } from '~/platform/http/form.server.ts'
import { redirectWithSuccess, requireLogin, withHttpErrors } from '~/platform/http/http.ts'
import { Form, Link } from '~/ui/link.tsx'
import { SubmitButton } from '~/ui/submit-button.tsx'
import { ReportFormFields } from '../components/report-form.tsx'
import { getReportable, reportSubject } from '../reports.server.ts'
import type { Route } from './+types/report'

const thanks = 'Thank you. A moderator will look at it.'

export function loader({ params, context, url }: Route.LoaderArgs) {
	return withHttpErrors(() => getReportable(requireLogin(context, url), { kind: params.kind, name: params.id }))
}

export async function action({ request, params, context, url }: Route.ActionArgs) {
	const viewer = requireLogin(context, url)
	const form = await readForm(request)
	try {
		const { url: back } = await reportSubject(viewer, { kind: params.kind, name: params.id }, Object.fromEntries(form))
		// The dialog does not navigate.
		if (form.get('from') === 'dialog') return { reported: thanks }
		return redirectWithSuccess(back, thanks)
	} catch (error) {
		return refuseForm(error, form)
	}
}

export function meta({ matches }: Route.MetaArgs) {
	return pageMeta(matches, { title: 'Report', noindex: true })
}

export default function Report({ loaderData: { title, url, reported }, actionData }: Route.ComponentProps) {
	const refusal = actionData && 'message' in actionData ? actionData : null
	return (
		<div className="max-w-[34rem] pt-6 md:pt-8">
			<h1 className="text-2xl font-bold wrap-anywhere">Report {title}</h1>
			{reported && !refusal ? (
				<p className="mt-5 text-ink-2">
					You have already reported this. A moderator will look at it.{' '}
					<Link className="link" to={url}>
						Back to the page
					</Link>
				</p>
			) : (
				<Form method="post" className="mt-5" replace>
					<ReportFormFields refusal={refusal}>
						<Link className="btn btn-outline" to={url}>
							Cancel
						</Link>
						<SubmitButton busyLabel="Reporting...">Report</SubmitButton>
					</ReportFormFields>
				</Form>
			)}
		</div>
	)
}
