import { listCampusFields } from '~/features/campus/campus.queries.server.ts'
import { getCampus, requestCampusVerification } from '~/features/campus/campus.server.ts'
import { CampusSection } from '~/features/campus/components/campus-status.tsx'
import { factsOf, type SignedIn } from '~/lib/context.ts'
import { DomainError } from '~/lib/errors.ts'
import { pageMeta } from '~/lib/page-meta.ts'
import { readForm, refuseForm } from '~/platform/http/form.server.ts'
import { formValues, submitForm } from '~/platform/http/form.ts'
import { redirectWithSuccess, withHttpErrors } from '~/platform/http/http.ts'
import { AcademicsFields, academicsNames } from '../components/academics-fields.tsx'
import { EditForm, SaveBar } from '../components/edit-form.tsx'
import { getAcademics, saveAcademics } from '../editing.server.ts'
import { academicsInput } from '../profile.schema.ts'
import { requireOwnForm, requireOwnPage } from '../requests.server.ts'
import type { Route } from './+types/edit-academics'

export function loader(args: Route.LoaderArgs) {
	return withHttpErrors(async () => {
		const viewer = requireOwnPage(args)
		const [start, campus, fromUniversity] = await Promise.all([
			getAcademics(viewer, viewer.username),
			getCampus(viewer, viewer.username),
			listCampusFields(viewer.id),
		])
		return { start, campus, fromUniversity }
	})
}

export async function action(args: Route.ActionArgs) {
	const viewer = await requireOwnForm(args)
	const form = await readForm(args.request)
	try {
		const address = await saveAcademics(viewer, viewer.username, formValues(form))
		const mailed = address !== null && (await mailLink(viewer, factsOf(args.context).ip))
		return redirectWithSuccess(
			args.url.pathname,
			mailed ? `${updated} We have emailed a link to ${address} to confirm it.` : updated,
		)
	} catch (error) {
		return refuseForm(error, form, 'Something went wrong!')
	}
}

const updated = 'Academics data updated successfully!'

/** Mails the confirmation link for a new address. If that fails, the page explains it beside its button. */
async function mailLink(viewer: SignedIn, ip: string): Promise<boolean> {
	try {
		await requestCampusVerification(viewer, viewer.username, ip)
		return true
	} catch (error) {
		if (error instanceof DomainError) return false
		throw error
	}
}

export const clientAction = (args: Route.ClientActionArgs) => submitForm(args, { schema: academicsInput })

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
				start={loaderData.start}
				refusal={actionData ?? null}
				names={academicsNames}
				footer={SaveBar}
			>
				{(values, errors) => (
					<AcademicsFields values={values} errors={errors} fromUniversity={loaderData.fromUniversity} />
				)}
			</EditForm>
			<CampusSection campus={loaderData.campus} />
		</>
	)
}
