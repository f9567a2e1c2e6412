import { redirect } from 'react-router'
import { requirePageAdmin } from '~/features/administration/admins.server.ts'
import { AdminFrame } from '~/features/administration/components/admin-frame.tsx'
import { pageMeta } from '~/lib/page-meta.ts'
import { readForm, refuseForm } from '~/platform/http/form.server.ts'
import { withHttpErrors } from '~/platform/http/http.ts'
import { describedBy, Field, FieldShell, TextArea } from '~/ui/field.tsx'
import { FormError } from '~/ui/form-error.tsx'
import { Form, Link } from '~/ui/link.tsx'
import { SubmitButton } from '~/ui/submit-button.tsx'
import { invitesPath, listPath } from '../invites.view.ts'
import { makeList } from '../lists/lists.server.ts'
import type { Route } from './+types/new-list'

export function loader({ request, context, url }: Route.LoaderArgs) {
	return withHttpErrors(async () => {
		await requirePageAdmin({ request, context, url })
		return null
	})
}

/** Checks the file; nothing is mailed yet. */
export function action({ request, context, url }: Route.ActionArgs) {
	return withHttpErrors(async () => {
		const viewer = await requirePageAdmin({ request, context, url })
		const form = await readForm(request)
		try {
			return redirect(listPath(await makeList(viewer, Object.fromEntries(form))), 303)
		} catch (error) {
			return refuseForm(error, form)
		}
	})
}

export function meta({ matches }: Route.MetaArgs) {
	return pageMeta(matches, { title: 'Invite a list of addresses', noindex: true })
}

export default function NewList({ actionData }: Route.ComponentProps) {
	const { errors = {}, values = {}, message } = actionData ?? {}
	return (
		<AdminFrame title="Invite a list of addresses">
			<p className="mt-4 max-w-read text-ink-2">
				One address in each line, a CSV file with a column “email”, or recipients as copied from a mail. You see what is
				in it before anything is sent.
			</p>
			<Form method="post" encType="multipart/form-data" className="mt-6 grid max-w-[36rem] gap-5" noValidate>
				<FormError errors={errors} names={{ file: 'File', cohort: 'Cohort', days: 'The links work for how many days' }}>
					{message}
				</FormError>
				<FieldShell
					label="File"
					name="file"
					id="file"
					hint="Text or CSV, at most 50,000 lines and 5 MB."
					error={errors.file}
				>
					<input
						className="input"
						type="file"
						id="file"
						name="file"
						accept=".csv,.txt,text/csv,text/plain"
						{...describedBy('file', errors.file, true)}
					/>
				</FieldShell>
				<TextArea
					label="Or paste the addresses"
					name="addresses"
					optional
					rows={5}
					defaultValue={values.addresses}
					hint="A file takes precedence."
				/>
				<Field
					label="Cohort"
					name="cohort"
					optional
					maxLength={60}
					placeholder="CSE 2027"
					defaultValue={values.cohort}
					error={errors.cohort}
					hint="Stored with everybody who joins. Admins can filter members by it."
				/>
				<Field
					label="The links work for how many days"
					name="days"
					inputMode="numeric"
					defaultValue={values.days ?? '30'}
					error={errors.days}
				/>
				<p className="flex flex-wrap gap-2">
					<SubmitButton busyLabel="Reading...">Check the list</SubmitButton>
					<Link className="btn btn-ghost" to={invitesPath}>
						Cancel
					</Link>
				</p>
			</Form>
		</AdminFrame>
	)
}
