import { loginsPath } from '~/features/campus-login/campus-login.view.ts'
import { editProfilePath } from '~/features/members/members.view.ts'
import { requireOwnForm, requireOwnPage } from '~/features/profile-editor/requests.server.ts'
import { monthAndYear } from '~/lib/calendar.ts'
import { pageMeta } from '~/lib/page-meta.ts'
import { readForm, refuseForm } from '~/platform/http/form.server.ts'
import { formValues } from '~/platform/http/form.ts'
import { redirectWithSuccess, withHttpErrors } from '~/platform/http/http.ts'
import { Checkbox } from '~/ui/field.tsx'
import { FormError } from '~/ui/form-error.tsx'
import { useRefusalToast } from '~/ui/form-kit.ts'
import { Form, Link } from '~/ui/link.tsx'
import { SubmitButton } from '~/ui/submit-button.tsx'
import { addRepositories, getRepositories, type RepositoriesView } from '../repositories.server.ts'
import type { Route } from './+types/pick-repositories'

export function loader(args: Route.LoaderArgs) {
	return withHttpErrors(async () => {
		const viewer = requireOwnPage(args)
		return { username: viewer.username, ...(await getRepositories(viewer, viewer.username)) }
	})
}

export async function action(args: Route.ActionArgs) {
	const viewer = await requireOwnForm(args)
	const form = await readForm(args.request)
	try {
		const message = await addRepositories(viewer, viewer.username, formValues(form))
		return redirectWithSuccess(editProfilePath(viewer.username, 'projects'), message)
	} catch (error) {
		return refuseForm(error, form)
	}
}

export function meta({ matches }: Route.MetaArgs) {
	return pageMeta(matches, { title: 'Projects from GitHub', noindex: true })
}

export default function PickRepositories({ loaderData, actionData }: Route.ComponentProps) {
	useRefusalToast(actionData)
	const { username, ...view } = loaderData
	const projects = editProfilePath(username, 'projects')
	const picked = actionData?.values.repository?.split(', ') ?? []
	return (
		<>
			<p>
				<Link className="link" to={projects}>
					Projects
				</Link>
			</p>
			<h1 className="mt-2 text-2xl font-bold">Projects from GitHub</h1>
			{view.repositories.length === 0 ? (
				<p className="mt-4 max-w-read">
					<WhyNone {...view} />
				</p>
			) : (
				<Form method="post" action={`${projects}/github`} className="mt-2 grid gap-4">
					<p className="text-ink-2">
						Your public repositories without forks, most recently changed first. You can edit each project afterwards.
					</p>
					<FormError>{actionData?.message}</FormError>
					<Choices repositories={view.repositories} picked={picked} />
					<p>
						<SubmitButton busyLabel="Adding...">Add to my projects</SubmitButton>
					</p>
				</Form>
			)}
		</>
	)
}

function WhyNone({ isLinked, problem }: RepositoriesView) {
	if (isLinked === null)
		return 'This site does not offer login with GitHub, so it cannot know which account there is yours.'
	if (isLinked) return problem || 'Your GitHub account has no public repository of your own.'
	return (
		<>
			Link your GitHub account in{' '}
			<Link className="link" to={loginsPath}>
				your ways to log in
			</Link>
			, so that this site knows which one is yours.
		</>
	)
}

function Choices({ repositories, picked }: Pick<RepositoriesView, 'repositories'> & { picked: string[] }) {
	return (
		<ul className="border-t border-line">
			{repositories.map(({ id, name, description, language, createdOn, isAdded }) => (
				<li key={id} className="border-b border-line py-2.5">
					<Checkbox
						name="repository"
						id={`repository-${id}`}
						value={id}
						disabled={isAdded}
						defaultChecked={isAdded || picked.includes(String(id))}
						hint={[isAdded && 'Among your projects', language, monthAndYear(createdOn), description]
							.filter(Boolean)
							.join(' · ')}
					>
						<span className="font-semibold wrap-anywhere">{name}</span>
					</Checkbox>
				</li>
			))}
		</ul>
	)
}
