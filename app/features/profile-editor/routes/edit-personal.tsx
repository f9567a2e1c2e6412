import { refreshSession } from '~/features/accounts/viewer.server.ts'
import { listCampusFields } from '~/features/campus/campus.queries.server.ts'
import { EvidenceForm } from '~/features/evidence/components/evidence-form.tsx'
import { getEvidence } from '~/features/evidence/evidence.server.ts'
import { pageMeta } from '~/lib/page-meta.ts'
import { readForm, refuseForm } from '~/platform/http/form.server.ts'
import { formValues, submitForm } from '~/platform/http/form.ts'
import { redirectWithSuccess, withHttpErrors } from '~/platform/http/http.ts'
import { Link } from '~/ui/link.tsx'
import { EditForm, SaveBar } from '../components/edit-form.tsx'
import { PersonalFields, personalNames, VisibilityFields } from '../components/personal-fields.tsx'
import { getPersonal, savePersonal } from '../editing.server.ts'
import { audienceChoices } from '../profile.limits.ts'
import { personalInput } from '../profile.schema.ts'
import { requireOwnForm, requireOwnPage, textsWithPicture } from '../requests.server.ts'
import type { Route } from './+types/edit-personal'

export function loader(args: Route.LoaderArgs) {
	return withHttpErrors(async () => {
		const viewer = requireOwnPage(args)
		const [personal, evidence, fromUniversity] = await Promise.all([
			getPersonal(viewer, args.params.username),
			getEvidence(viewer, viewer),
			listCampusFields(viewer.id),
		])
		return { ...personal, evidence, isNameGiven: fromUniversity.includes('fullName') }
	})
}

export async function action(args: Route.ActionArgs) {
	const viewer = await requireOwnForm(args)
	const form = await readForm(args.request)
	try {
		// With scripts the picture is saved on its own: see save-picture.ts.
		const hasPicture = form.has('profile_url') || form.has('profile_url_file')
		const texts = hasPicture ? await textsWithPicture(viewer, form, 'profile', 'profile_url') : formValues(form)
		await savePersonal(viewer, viewer.username, texts)
		// The header shows the name and picture from the session.
		const session = await refreshSession(args.request)
		return redirectWithSuccess(args.url.pathname, 'Profile updated successfully!', session)
	} catch (error) {
		return refuseForm(error, form, 'Something went wrong!')
	}
}

export const clientAction = (args: Route.ClientActionArgs) => submitForm(args, { schema: personalInput })

export function meta({ matches }: Route.MetaArgs) {
	return pageMeta(matches, { title: 'Personal Details', noindex: true })
}

const { profile_url, ...formNames } = personalNames

export default function EditPersonal({ loaderData, actionData, params }: Route.ComponentProps) {
	return (
		<>
			<div className="flex flex-wrap items-baseline justify-between gap-x-6 gap-y-1">
				<h1 className="text-2xl font-bold">Personal Details</h1>
				<Link className="link text-sm text-ink-2" to="import">
					Import a résumé
				</Link>
			</div>
			<EditForm
				id="personal"
				className="mt-6 grid gap-8"
				start={loaderData}
				refusal={actionData ?? null}
				names={formNames}
				apart={{ profile_url }}
				choices={audienceChoices}
				files
				footer={SaveBar}
			>
				{(values, errors) => (
					<>
						<PersonalFields
							values={values}
							errors={errors}
							email={loaderData.email}
							isNameGiven={loaderData.isNameGiven}
							picture={actionData?.values.profile_url ?? loaderData.values.profile_url ?? ''}
						/>
						<VisibilityFields values={values} errors={errors} />
					</>
				)}
			</EditForm>
			<EvidenceForm username={params.username} evidence={loaderData.evidence} />
		</>
	)
}
