import { flashAfter } from '~/features/questions/writing/change.server.ts'
import { SimilarQuestions } from '~/features/search/components/similar-questions.tsx'
import { listCategories } from '~/features/tags/tags.server.ts'
import { categoriesToAskIn } from '~/features/tags/tags.view.ts'
import { loginPath } from '~/lib/addresses.ts'
import { viewerOf } from '~/lib/context.ts'
import { NotAllowed } from '~/lib/errors.ts'
import { newKey } from '~/lib/new-key.ts'
import { pageMeta } from '~/lib/page-meta.ts'
import { readForm, refuseForm } from '~/platform/http/form.server.ts'
import { redirectWithToast, withHttpErrors } from '~/platform/http/http.ts'
import { askQuestion } from '../asking.server.ts'
import { AskForm } from '../components/ask-form.tsx'
import { submitAskForm } from '../components/draft-saver.ts'
import { discardDraft, getDraft } from '../drafts.server.ts'
import type { Route } from './+types/ask'

/** `?title=` and `?category=` prefill the form. */
export function loader({ context, url }: Route.LoaderArgs) {
	return withHttpErrors(async () => {
		const viewer = viewerOf(context)
		const [categories, draft] = await Promise.all([listCategories(), getDraft(viewer, 'ask')])
		const requested = url.searchParams.get('category')
		const possible = categoriesToAskIn(categories, viewer)
		const category = possible.some(({ slug }) => slug === requested) && requested ? requested : 'others'
		const title = url.searchParams.get('title') ?? ''
		const start = { title, description: '', tags: '', category }
		return {
			categories,
			start,
			draft,
			// A prefilled form is another question than the draft.
			sendKey: viewer ? (title === '' && draft?.sharedKey) || newKey() : '',
			login: viewer ? null : loginPath(url.pathname + url.search),
		}
	})
}

export async function action({ request, context }: Route.ActionArgs) {
	const viewer = viewerOf(context)
	const form = await readForm(request)
	try {
		// Not a redirect to the login, which would lose the input of a browser without scripts.
		if (!viewer) throw new NotAllowed('You are no longer logged in. Log in in another tab, then post it from here.')
		const { id, url: to } = await askQuestion(viewer, Object.fromEntries(form))
		if (form.get('draft') === 'ask') await discardDraft(viewer, 'ask')
		return redirectWithToast(to, await flashAfter(viewer, id, 'Query added successfully!'))
	} catch (error) {
		return refuseForm(error, form, 'Something went wrong. Try again!')
	}
}

export function clientAction({ request, serverAction }: Route.ClientActionArgs) {
	return submitAskForm({ request, serverAction })
}

export function meta({ matches, location }: Route.MetaArgs) {
	return pageMeta(matches, {
		title: 'Ask a question',
		description: 'Ask the students of this community: a title, what you have tried, and a few tags.',
		canonical: '/forum/ask',
		noindex: location.search !== '',
	})
}

export default function Ask({
	loaderData: { categories, start, draft, sendKey, login },
	actionData,
}: Route.ComponentProps) {
	return (
		<div className="max-w-[66rem] pt-6 md:pt-8">
			<h1 className="text-2xl leading-9 font-bold">Ask a Question</h1>
			<AskForm
				action="/forum/ask"
				start={start}
				madeFrom={0}
				draftKey="ask"
				sendKey={sendKey}
				draft={draft}
				named={start.title !== ''}
				categories={categories}
				refusal={actionData ?? null}
				submit="Post question"
				cancel="/forum"
				login={login}
				similar={SimilarQuestions}
			/>
		</div>
	)
}
