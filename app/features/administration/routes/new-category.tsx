import { pageMeta } from '~/lib/page-meta.ts'
import { readForm, refuseForm } from '~/platform/http/form.server.ts'
import { redirectWithSuccess, requireLogin, withHttpErrors } from '~/platform/http/http.ts'
import { requirePageAdmin } from '../admins.server.ts'
import { addCategory } from '../categories/categories.server.ts'
import { categoriesPath, newCategoryPath } from '../categories/categories.view.ts'
import { AdminFrame } from '../components/admin-frame.tsx'
import { CategoryForm } from '../components/category-form.tsx'
import type { Route } from './+types/new-category'

export function loader({ request, context, url }: Route.LoaderArgs) {
	return withHttpErrors(async () => {
		await requirePageAdmin({ request, context, url })
		return null
	})
}

export async function action({ request, context, url }: Route.ActionArgs) {
	const viewer = requireLogin(context, url)
	const form = await readForm(request)
	try {
		const { title } = await addCategory(viewer, Object.fromEntries(form))
		return redirectWithSuccess(categoriesPath, `“${title}” added as the last one.`)
	} catch (error) {
		return refuseForm(error, form)
	}
}

export function meta({ matches }: Route.MetaArgs) {
	return pageMeta(matches, { title: 'Add a category', noindex: true })
}

export default function NewCategory({ actionData }: Route.ComponentProps) {
	return (
		<AdminFrame title="Add a category">
			<CategoryForm action={newCategoryPath} category={null} refusal={actionData ?? null} />
		</AdminFrame>
	)
}
