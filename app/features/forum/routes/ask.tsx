import { viewerOf } from '~/lib/context.ts'
import { answering, redirectWithToast, refused, signedIn } from '~/lib/http.ts'
import { pageMeta } from '~/lib/page-meta.ts'
import { AskForm } from '../components/ask-form.tsx'
import { loginPath } from '../forum.paths.ts'
import { askQuestion } from '../forum.server.ts'
import { listCategories } from '../reading.server.ts'
import type { Route } from './+types/ask'

/** `?title=` and `?category=` fill the form. */
export function loader({ context, url }: Route.LoaderArgs) {
	return answering(async () => {
		const categories = await listCategories()
		const wanted = url.searchParams.get('category')
		const category = categories.some(({ slug }) => slug === wanted) && wanted ? wanted : 'others'
		const start = { title: url.searchParams.get('title') ?? '', description: '', tags: '', category }
		return { categories, start, login: viewerOf(context) ? null : loginPath(url.pathname + url.search) }
	})
}

export async function action({ request, context, url }: Route.ActionArgs) {
	const viewer = signedIn(context, url)
	const form = await request.formData()
	try {
		const { url: to } = await askQuestion(viewer, Object.fromEntries(form))
		return redirectWithToast(to, { type: 'success', message: 'Query added successfully!' })
	} catch (error) {
		return refused(error, form)
	}
}

export function meta({ matches, location }: Route.MetaArgs) {
	return pageMeta(matches, {
		title: 'Ask a question',
		description: 'Ask the students of this community: a title, what you have tried, and a few tags.',
		canonical: '/forum/ask',
		noindex: location.search !== '',
	})
}

export default function Ask({ loaderData: { categories, start, login }, actionData }: Route.ComponentProps) {
	return (
		<div className="max-w-[44rem] pt-6 md:pt-8">
			<h1 className="text-2xl leading-9 font-bold">Ask a question</h1>
			<AskForm
				start={start}
				categories={categories}
				refusal={actionData ?? null}
				submit="Post question"
				cancel="/forum"
				login={login}
				similar
			/>
		</div>
	)
}
