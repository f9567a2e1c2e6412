import { FollowedList } from '~/features/tags/components/followed-list.tsx'
import { listFollowed } from '~/features/tags/following.server.ts'
import { listCategories } from '~/features/tags/tags.server.ts'
import { withParams } from '~/lib/addresses.ts'
import { requireId } from '~/lib/checks.ts'
import { pageMeta } from '~/lib/page-meta.ts'
import { pluralize } from '~/lib/text.ts'
import { chooseIntent, readForm, refuseForm } from '~/platform/http/form.server.ts'
import { redirectWithSuccess, redirectWithToast, requireLogin, withHttpErrors } from '~/platform/http/http.ts'
import { FormError } from '~/ui/form-error.tsx'
import { Link } from '~/ui/link.tsx'
import { EmptyState } from '~/ui/list-states.tsx'
import { ListPages } from '~/ui/more-link.tsx'
import { SectionHeading } from '~/ui/section-heading.tsx'
import { RelativeTime } from '~/ui/time.tsx'
import { useMore, withoutDuplicates } from '~/ui/use-more.ts'
import { FollowQuestion } from '../components/follow-buttons.tsx'
import { SavedSearches } from '../components/saved-searches.tsx'
import { listFollowedQuestions } from '../following.server.ts'
import type { FollowedQuestionView } from '../following.view.ts'
import { listSavedSearches, removeSearch, restoreSearch, saveSearch } from '../searches.server.ts'
import type { Route } from './+types/following'

export function loader({ context, url }: Route.LoaderArgs) {
	return withHttpErrors(async () => {
		const viewer = requireLogin(context, url)
		const cursor = url.searchParams.get('cursor') || null
		const [page, followed, known, searches] = await Promise.all([
			listFollowedQuestions(viewer, cursor),
			listFollowed(viewer),
			listCategories(),
			listSavedSearches(viewer),
		])
		return { page, followed, known, searches, cursor }
	})
}

/** Saves a search (`intent=save`: `kind`, `query`, `name`), removes one (`remove`: `id`) or restores it (`restore`). */
export async function action({ request, context, url }: Route.ActionArgs) {
	const viewer = requireLogin(context, url)
	const form = await readForm(request)
	try {
		return await chooseIntent(form.get('intent'), {
			save: async () => {
				const { url } = await saveSearch(viewer, Object.fromEntries(form))
				return redirectWithSuccess(url, 'Search saved. You can find it under Following.')
			},
			remove: async () => {
				const id = requireId(form.get('id'))
				await removeSearch(viewer, id)
				const fields = { intent: 'restore', id: String(id) }
				return redirectWithToast('/following', {
					type: 'success',
					message: 'Search removed.',
					action: { label: 'Undo', to: '/following', fields },
				})
			},
			restore: async () => {
				await restoreSearch(viewer, requireId(form.get('id')))
				return redirectWithSuccess('/following', 'The search is saved again.')
			},
		})
	} catch (error) {
		return refuseForm(error, form)
	}
}

export function meta({ matches }: Route.MetaArgs) {
	return pageMeta(matches, { title: 'Following', noindex: true })
}

export default function Following({ loaderData, actionData: refusal }: Route.ComponentProps) {
	const { page, followed, known, searches, cursor } = loaderData
	const more = useMore(page, (next) => withParams('/following', { cursor: next }))
	const rows = withoutDuplicates(more.rows, ({ id }) => id)
	return (
		<div className="max-w-[44rem] pt-6 md:pt-8">
			<h1 className="text-2xl leading-9 font-bold">Following</h1>
			<p className="mt-1 text-ink-2">
				You are notified of new comments on these queries, of new queries in these tags and categories, and of new
				results of these searches.
			</p>
			{refusal && (
				<FormError errors={refusal.errors} names={{ name: 'Name of the search' }}>
					{refusal.message}
				</FormError>
			)}
			<FollowedList {...followed} known={known} />
			{cursor === null && <SavedSearches searches={searches} />}
			<section className="mt-8" aria-labelledby="followed-queries">
				<SectionHeading id="followed-queries" title="Queries" />
				{rows.length === 0 ? (
					<NoQueries isFirst={cursor === null} />
				) : (
					<ul>
						{rows.map((question) => (
							<FollowedItem key={question.id} question={question} />
						))}
					</ul>
				)}
			</section>
			<ListPages firstHref={cursor === null ? null : '/following'} more={more} />
		</div>
	)
}

/** The content of an empty page of the list. */
function NoQueries({ isFirst }: { isFirst: boolean }) {
	if (!isFirst) return <EmptyState title="No more queries." />
	return (
		<EmptyState
			title="No queries yet."
			action={
				<Link className="btn btn-outline" to="/forum">
					Go to the forum
				</Link>
			}
		>
			Press “Follow” or “I have this too” under a query, and it appears here.
		</EmptyState>
	)
}

function FollowedItem({ question }: { question: FollowedQuestionView }) {
	return (
		<li className="flex items-start gap-4 border-b border-line py-3">
			<div className="min-w-0 flex-1">
				<h3 className="text-md font-semibold wrap-anywhere">
					<Link className="quiet-link" to={question.url}>
						{question.title}
					</Link>
				</h3>
				<p className="meta mt-1 flex flex-wrap items-center gap-x-3">
					{question.solved && <span className="answered">Answered</span>}
					<span>{pluralize(question.commentCount, 'comment', 'comments')}</span>
					<span>
						active <RelativeTime at={question.activeAt} />
					</span>
				</p>
			</div>
			<FollowQuestion questionId={question.id} following what={question.title} />
		</li>
	)
}
