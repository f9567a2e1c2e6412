import { redirect } from 'react-router'
import { NotAllowed } from '~/lib/errors.ts'
import { answering, redirectWithToast, refused, signedIn } from '~/lib/http.ts'
import { pageMeta } from '~/lib/page-meta.ts'
import { AskForm } from '../components/ask-form.tsx'
import { editPath } from '../forum.paths.ts'
import { editQuestion } from '../forum.server.ts'
import { getQuery, listCategories } from '../reading.server.ts'
import type { Route } from './+types/edit'
import { readId } from './ids.ts'

export function loader({ params, context, url }: Route.LoaderArgs) {
	return answering(async () => {
		const viewer = signedIn(context, url)
		const query = await getQuery(viewer, readId(params.id))
		if (!query.mayEdit) throw new NotAllowed('Only its author can edit this query.')
		if (url.pathname !== editPath(query.url)) throw redirect(editPath(query.url) + url.search, 301)
		const { title, description, tags, category } = query
		const start = { title, description, tags: tags.join(', '), category: category.slug }
		return { start, url: query.url, categories: await listCategories() }
	})
}

export async function action({ request, params, context, url }: Route.ActionArgs) {
	const viewer = signedIn(context, url)
	const form = await request.formData()
	try {
		const { url: to } = await editQuestion(viewer, readId(params.id), Object.fromEntries(form))
		return redirectWithToast(to, { type: 'success', message: 'Query updated successfully!' })
	} catch (error) {
		return refused(error, form)
	}
}

export function meta({ matches }: Route.MetaArgs) {
	return pageMeta(matches, { title: 'Edit query', noindex: true })
}

export default function Edit({ loaderData: { start, url, categories }, actionData }: Route.ComponentProps) {
	return (
		<div className="max-w-[44rem] pt-6 md:pt-8">
			<h1 className="text-2xl leading-9 font-bold">Edit query</h1>
			<AskForm
				start={start}
				categories={categories}
				refusal={actionData ?? null}
				submit="Save"
				cancel={url}
				login={null}
			/>
		</div>
	)
}
