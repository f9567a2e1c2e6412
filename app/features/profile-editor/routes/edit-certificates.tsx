import { validityText } from '~/features/profiles/profiles.view.ts'
import { siteDay } from '~/lib/calendar.ts'
import { pageMeta } from '~/lib/page-meta.ts'
import { useRootData } from '~/lib/root-data.ts'
import { submitForm } from '~/platform/http/form.ts'
import { withHttpErrors } from '~/platform/http/http.ts'
import { CertificateFields, certificateNames, initialCertificate } from '../components/certificate-fields.tsx'
import { EditForm, ItemButtons, useItemRefusal } from '../components/edit-form.tsx'
import { ItemList } from '../components/item-list.tsx'
import {
	addCertificate,
	deleteCertificate,
	getCertificate,
	listCertificates,
	saveCertificate,
} from '../items.server.ts'
import { getOrderVersion } from '../order.server.ts'
import { certificateInput } from '../profile.schema.ts'
import { itemAction, requireOwnPage } from '../requests.server.ts'
import type { Route } from './+types/edit-certificates'

export function loader(args: Route.LoaderArgs) {
	return withHttpErrors(async () => {
		const viewer = requireOwnPage(args)
		const id = args.url.searchParams.get('edit')
		const [certificates, version, start] = await Promise.all([
			listCertificates(viewer, viewer.username),
			getOrderVersion(viewer, viewer.username),
			id ? getCertificate(viewer, viewer.username, id) : initialCertificate,
		])
		return { certificates, version, id, start }
	})
}

const notDeleted = 'Something went wrong! Try again'

export const action = (args: Route.ActionArgs) =>
	itemAction(args, {
		table: 'certificates',
		add: addCertificate,
		save: saveCertificate,
		remove: deleteCertificate,
		picture: { kind: 'certificate', field: 'certificate_image' },
		added: 'Certificate added successfully!',
		updated: 'Certificate Updated successfully!',
		deleted: 'Certificate deleted Successfully.',
		notDeleted,
	})

export const clientAction = (args: Route.ClientActionArgs) =>
	submitForm(args, { schema: certificateInput, failure: notDeleted })

export function meta({ matches }: Route.MetaArgs) {
	return pageMeta(matches, { title: 'Certificates', noindex: true })
}

export default function EditCertificates({ loaderData, actionData }: Route.ComponentProps) {
	const { certificates, version, id, start } = loaderData
	const { now } = useRootData()
	const refusal = useItemRefusal(actionData)
	return (
		<>
			<h1 className="text-2xl font-bold">Certificates</h1>
			<EditForm
				id={id ?? 'new'}
				className="mt-6 grid gap-6"
				start={start}
				refusal={refusal}
				names={certificateNames}
				files
				item={id ?? undefined}
				footer={({ leave }) => <ItemButtons what="certificate" editing={id !== null} onLeave={leave} />}
			>
				{(values, errors) => <CertificateFields values={values} errors={errors} editing={id !== null} />}
			</EditForm>
			<ItemList
				what="certificate"
				title="Your certificates"
				empty="No certificates found!"
				version={version}
				pins
				items={certificates.map((certificate) => ({
					...certificate,
					note: validityText(certificate, siteDay(now)),
					link: certificate.verify && { label: 'Verify', url: certificate.verify },
				}))}
			/>
		</>
	)
}
