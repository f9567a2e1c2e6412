import { editProfilePath } from '~/features/members/members.view.ts'
import { pageMeta } from '~/lib/page-meta.ts'
import { submitForm } from '~/platform/http/form.ts'
import { withHttpErrors } from '~/platform/http/http.ts'
import { Link } from '~/ui/link.tsx'
import { EditForm, ItemButtons, useItemRefusal } from '../components/edit-form.tsx'
import { ExperienceFields, experienceNames, initialExperience } from '../components/experience-fields.tsx'
import { ItemList } from '../components/item-list.tsx'
import { addExperience, deleteExperience, getExperience, listExperiences, saveExperience } from '../items.server.ts'
import { getOrderVersion } from '../order.server.ts'
import { experienceKindNames } from '../profile.limits.ts'
import { experienceInput } from '../profile.schema.ts'
import { itemAction, requireOwnPage } from '../requests.server.ts'
import type { Route } from './+types/edit-experience'

export function loader(args: Route.LoaderArgs) {
	return withHttpErrors(async () => {
		const viewer = requireOwnPage(args)
		const id = args.url.searchParams.get('edit')
		const [experiences, version, start] = await Promise.all([
			listExperiences(viewer, viewer.username),
			getOrderVersion(viewer, viewer.username),
			id ? getExperience(viewer, viewer.username, id) : initialExperience,
		])
		return { experiences, version, id, start }
	})
}

export const action = (args: Route.ActionArgs) =>
	itemAction(args, {
		table: 'experiences',
		add: addExperience,
		save: saveExperience,
		remove: deleteExperience,
		picture: null,
		added: 'Entry added successfully!',
		updated: 'Entry updated successfully!',
		deleted: 'Entry deleted successfully!',
		notDeleted: 'Something went wrong!',
	})

export const clientAction = (args: Route.ClientActionArgs) => submitForm(args, { schema: experienceInput })

export function meta({ matches }: Route.MetaArgs) {
	return pageMeta(matches, { title: 'Experience', noindex: true })
}

export default function EditExperience({ loaderData, actionData, params }: Route.ComponentProps) {
	const { experiences, version, id, start } = loaderData
	const refusal = useItemRefusal(actionData)
	return (
		<>
			<h1 className="text-2xl font-bold">Experience</h1>
			<p className="mt-2 max-w-read text-ink-2">
				Earlier studies, work, clubs and volunteering. Your current studies are under{' '}
				<Link className="link" to={editProfilePath(params.username, 'academics')}>
					Academics
				</Link>
				.
			</p>
			<EditForm
				id={id ?? 'new'}
				className="mt-6 grid gap-6"
				start={start}
				refusal={refusal}
				names={experienceNames}
				choices={{ kind: experienceKindNames }}
				item={id ?? undefined}
				footer={({ leave }) => <ItemButtons what="entry" editing={id !== null} onLeave={leave} />}
			>
				{(values, errors) => <ExperienceFields values={values} errors={errors} editing={id !== null} />}
			</EditForm>
			<ItemList
				what="entry"
				title="Your studies and experience"
				empty="Nothing written yet."
				version={version}
				items={experiences.map(({ id: item, kind, organisation, title, span }) => ({
					id: item,
					title: [title, organisation].filter(Boolean).join(', '),
					image: null,
					part: kind,
					note: [experienceKindNames[kind], span].filter(Boolean).join(' · '),
				}))}
			/>
		</>
	)
}
