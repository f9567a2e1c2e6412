import { pageMeta } from '~/lib/page-meta.ts'
import { readForm, refuseForm } from '~/platform/http/form.server.ts'
import { formValues, submitForm } from '~/platform/http/form.ts'
import { redirectWithSuccess, withHttpErrors } from '~/platform/http/http.ts'
import { EditForm, SaveBar } from '../components/edit-form.tsx'
import { SocialFields, socialNames } from '../components/social-fields.tsx'
import { getSocial, saveSocial } from '../editing.server.ts'
import { socialInput } from '../profile.schema.ts'
import { requireOwnForm, requireOwnPage } from '../requests.server.ts'
import type { Route } from './+types/edit-social-links'

export function loader(args: Route.LoaderArgs) {
	return withHttpErrors(async () => getSocial(requireOwnPage(args), args.params.username))
}

export async function action(args: Route.ActionArgs) {
	const viewer = await requireOwnForm(args)
	const form = await readForm(args.request)
	try {
		await saveSocial(viewer, viewer.username, formValues(form))
		return redirectWithSuccess(args.url.pathname, 'Social links updated successfully!')
	} catch (error) {
		return refuseForm(error, form, 'Something went wrong!')
	}
}

export const clientAction = (args: Route.ClientActionArgs) => submitForm(args, { schema: socialInput })

export function meta({ matches }: Route.MetaArgs) {
	return pageMeta(matches, { title: 'Social Links', noindex: true })
}

export default function EditSocialLinks({ loaderData, actionData }: Route.ComponentProps) {
	return (
		<>
			<h1 className="text-2xl font-bold">Social Links</h1>
			<EditForm
				id="social"
				className="mt-6 grid gap-8"
				start={loaderData}
				refusal={actionData ?? null}
				names={socialNames}
				footer={SaveBar}
			>
				{(values, errors) => <SocialFields values={values} errors={errors} />}
			</EditForm>
		</>
	)
}
