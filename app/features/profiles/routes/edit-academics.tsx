import { answering, redirectWithToast } from '~/lib/http.ts'
import { pageMeta } from '~/lib/page-meta.ts'
import { AcademicsFields, academicsNames } from '../components/academics-fields.tsx'
import { EditForm } from '../components/edit-form.tsx'
import { SaveBar } from '../components/save-bar.tsx'
import { getAcademics, saveAcademics } from '../editing.server.ts'
import { checkedFirst, textsOf } from '../editing.ts'
import { academicsInput } from '../profiles.schema.ts'
import type { Route } from './+types/edit-academics'
import { ownForm, ownPage, refusedEdit } from './edit.server.ts'

export function loader(args: Route.LoaderArgs) {
	return answering(async () => getAcademics(ownPage(args), args.params.username))
}

export async function action(args: Route.ActionArgs) {
	const viewer = await ownForm(args)
	const form = await args.request.formData()
	try {
		await saveAcademics(viewer, viewer.username, textsOf(form))
		return redirectWithToast(args.url.pathname, {
			type: 'success',
			message: 'Academics data updated successfully!',
		})
	} catch (error) {
		return refusedEdit(error, form)
	}
}

export const clientAction = (args: Route.ClientActionArgs) => checkedFirst(academicsInput, args)

export function meta({ matches }: Route.MetaArgs) {
	return pageMeta(matches, { title: 'Academics', noindex: true })
}

export default function EditAcademics({ loaderData, actionData }: Route.ComponentProps) {
	return (
		<>
			<h1 className="text-2xl font-bold">Academics</h1>
			<EditForm
				id="academics"
				className="mt-6 grid gap-8"
				start={loaderData}
				refusal={actionData ?? null}
				names={academicsNames}
				footer={SaveBar}
			>
				{(values, errors) => <AcademicsFields values={values} errors={errors} />}
			</EditForm>
		</>
	)
}
