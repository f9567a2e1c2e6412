import { redirect } from 'react-router'
import { editPath } from '~/features/questions/questions.paths.ts'
import { getQuestion } from '~/features/questions/questions.server.ts'
import { flashAfter } from '~/features/questions/writing/change.server.ts'
import { listCategories } from '~/features/tags/tags.server.ts'
import { requireId } from '~/lib/checks.ts'
import { NotAllowed } from '~/lib/errors.ts'
import { pageMeta } from '~/lib/page-meta.ts'
import { readForm, refuseForm } from '~/platform/http/form.server.ts'
import { redirectWithToast, requireLogin, withHttpErrors } from '~/platform/http/http.ts'
import { editQuestion } from '../asking.server.ts'
import { AskForm } from '../components/ask-form.tsx'
import { submitAskForm } from '../components/draft-saver.ts'
import { discardDraft, getDraft } from '../drafts.server.ts'
import type { Route } from './+types/edit'

export function loader({ params, context, url }: Route.LoaderArgs) {
	return withHttpErrors(async () => {
		const viewer = requireLogin(context, url)
		const question = await getQuestion(viewer, requireId(params.id))
		if (!question.mayEdit) throw new NotAllowed('Only the author can edit this query.')
		if (url.pathname !== editPath(question.url)) throw redirect(editPath(question.url) + url.search, 301)
		const { id, title, description, tags, category, version } = question
		const start = { title, description, tags: tags.join(', '), category: category.slug }
		const [categories, draft] = await Promise.all([listCategories(), getDraft(viewer, `edit:${id}`)])
		return { id, start, version, draft, url: question.url, categories }
	})
}

export async function action({ request, params, context, url }: Route.ActionArgs) {
	const viewer = requireLogin(context, url)
	const form = await readForm(request)
	try {
		const id = requireId(params.id)
		const { url: to } = await editQuestion(viewer, id, Object.fromEntries(form))
		if (form.get('draft') === `edit:${id}`) await discardDraft(viewer, `edit:${id}`)
		return redirectWithToast(to, await flashAfter(viewer, id, 'Query updated successfully!'))
	} catch (error) {
		return refuseForm(error, form, 'Something went wrong. Try again!')
	}
}

export function clientAction({ request, serverAction }: Route.ClientActionArgs) {
	return submitAskForm({ request, serverAction })
}

export function meta({ matches }: Route.MetaArgs) {
	return pageMeta(matches, { title: 'Edit query', noindex: true })
}

export default function Edit({ loaderData, actionData }: Route.ComponentProps) {
	const { id, start, version, draft, url, categories } = loaderData
	return (
		<div className="max-w-[44rem] pt-6 md:pt-8">
			<h1 className="text-2xl leading-9 font-bold">Edit query</h1>
			<AskForm
				key={id}
				action={editPath(url)}
				start={start}
				madeFrom={version}
				draftKey={`edit:${id}`}
				sendKey=""
				draft={draft}
				named={false}
				categories={categories}
				refusal={actionData ?? null}
				submit="Save"
				cancel={url}
				login={null}
			/>
		</div>
	)
}
