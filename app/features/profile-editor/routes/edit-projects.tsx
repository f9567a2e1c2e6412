import { findGithubAccount } from '~/features/campus-login/github.server.ts'
import { editProfilePath } from '~/features/members/members.view.ts'
import { monthAndYear } from '~/lib/calendar.ts'
import { pageMeta } from '~/lib/page-meta.ts'
import { submitForm } from '~/platform/http/form.ts'
import { withHttpErrors } from '~/platform/http/http.ts'
import { Link } from '~/ui/link.tsx'
import { EditForm, ItemButtons, useItemRefusal } from '../components/edit-form.tsx'
import { ItemList } from '../components/item-list.tsx'
import { initialProject, ProjectFields, projectNames } from '../components/project-fields.tsx'
import { addProject, deleteProject, getProject, listProjects, saveProject } from '../items.server.ts'
import { getOrderVersion } from '../order.server.ts'
import { projectInput } from '../profile.schema.ts'
import { itemAction, requireOwnPage } from '../requests.server.ts'
import type { Route } from './+types/edit-projects'

export function loader(args: Route.LoaderArgs) {
	return withHttpErrors(async () => {
		const viewer = requireOwnPage(args)
		const id = args.url.searchParams.get('edit')
		const [projects, version, account, start] = await Promise.all([
			listProjects(viewer, viewer.username),
			getOrderVersion(viewer, viewer.username),
			findGithubAccount(viewer),
			id ? getProject(viewer, viewer.username, id) : initialProject,
		])
		return { projects, version, id, start, offersGithub: account !== null, username: viewer.username }
	})
}

export const action = (args: Route.ActionArgs) =>
	itemAction(args, {
		table: 'projects',
		add: addProject,
		save: saveProject,
		remove: deleteProject,
		picture: { kind: 'project', field: 'project_image' },
		added: 'Project added successfully!',
		updated: 'Project Updated successfully!',
		deleted: 'Project Deleted Successfully',
		notDeleted: 'Something went wrong!',
	})

export const clientAction = (args: Route.ClientActionArgs) => submitForm(args, { schema: projectInput })

export function meta({ matches }: Route.MetaArgs) {
	return pageMeta(matches, { title: 'Projects', noindex: true })
}

export default function EditProjects({ loaderData, actionData }: Route.ComponentProps) {
	const { projects, version, id, start, offersGithub, username } = loaderData
	const refusal = useItemRefusal(actionData)
	return (
		<>
			<h1 className="text-2xl font-bold">Projects</h1>
			{offersGithub && id === null && (
				<p className="mt-2">
					<Link className="link" to={`${editProfilePath(username, 'projects')}/github`}>
						Choose from your GitHub repositories
					</Link>
				</p>
			)}
			<EditForm
				id={id ?? 'new'}
				className="mt-6 grid gap-6"
				start={start}
				refusal={refusal}
				names={projectNames}
				files
				item={id ?? undefined}
				footer={({ leave }) => <ItemButtons what="project" editing={id !== null} onLeave={leave} />}
			>
				{(values, errors) => <ProjectFields values={values} errors={errors} editing={id !== null} />}
			</EditForm>
			<ItemList
				what="project"
				title="Your projects"
				empty="No Project found!"
				version={version}
				pins
				items={projects.map((project) => ({
					...project,
					note: [project.stack.join(', '), monthAndYear(project.date)].filter(Boolean).join(' · '),
					link: project.links[0],
				}))}
			/>
		</>
	)
}
