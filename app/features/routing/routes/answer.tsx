import { pageMeta } from '~/lib/page-meta.ts'
import { useRootData } from '~/lib/root-data.ts'
import { chooseIntent, readForm } from '~/platform/http/form.server.ts'
import { redirectWithSuccess, requireLogin, safeRedirect, withHttpErrors } from '~/platform/http/http.ts'
import { Form, Link } from '~/ui/link.tsx'
import { EmptyState } from '~/ui/list-states.tsx'
import { ListPages } from '~/ui/more-link.tsx'
import { SectionHeading } from '~/ui/section-heading.tsx'
import { useMore, withoutDuplicates } from '~/ui/use-more.ts'
import { getRoutingChoice, listAnswerable, renewFeed } from '../answerable.server.ts'
import { declineQuestion, setOptedIn } from '../choosing.server.ts'
import { AnswerableItem } from '../components/answerable-item.tsx'
import { OptInForm } from '../components/opt-in-form.tsx'
import { ANSWER_PATH, answerPath, formatList } from '../routing.view.ts'
import type { Route } from './+types/answer'

export function loader({ context, url }: Route.LoaderArgs) {
	return withHttpErrors(async () => {
		const viewer = requireLogin(context, url)
		const cursor = url.searchParams.get('cursor') || null
		const [page, choice] = await Promise.all([listAnswerable(viewer, cursor), getRoutingChoice(viewer)])
		return { page, cursor, ...choice }
	})
}

/**
 * Handles all forms about being asked: the setting (`intent=opt-in`, `opt-out`), “not me” and its withdrawal (`decline`, `accept`, with
 * `query`), and a new address of the feed (`new-feed`).
 */
export function action({ request, context, url }: Route.ActionArgs) {
	return withHttpErrors(async () => {
		const viewer = requireLogin(context, url)
		const form = await readForm(request)
		const back = safeRedirect(form.get('from'), ANSWER_PATH)
		const done = (message: string) => redirectWithSuccess(back, message)
		const decline = (isDeclined: boolean) =>
			declineQuestion(viewer, Number(form.get('query') || Number.NaN), isDeclined)
		return chooseIntent(form.get('intent'), {
			'opt-in': async () => {
				await setOptedIn(viewer, true)
				return done('You will be asked when you may know the answer.')
			},
			'opt-out': async () => {
				await setOptedIn(viewer, false)
				return done('You will not be asked any more.')
			},
			decline: async () => done(`Noted. You will be asked less about ${formatList(await decline(true))}.`),
			accept: async () => {
				await decline(false)
				return done('Welcome back.')
			},
			'new-feed': async () => {
				await renewFeed(viewer)
				return done('Your feed has a new address. The old one no longer works.')
			},
		})
	})
}

export function meta({ matches }: Route.MetaArgs) {
	return pageMeta(matches, { title: 'You can answer these', noindex: true })
}

export default function Answer({ loaderData }: Route.ComponentProps) {
	const { page, cursor, optedIn, feed } = loaderData
	const more = useMore(page, answerPath)
	const rows = withoutDuplicates(more.rows, ({ id }) => String(id))
	return (
		<div className="grid gap-x-16 pt-6 md:pt-8 lg:grid-cols-[minmax(0,1fr)_15.5rem]">
			<div className="min-w-0">
				<h1 className="text-2xl leading-9 font-bold">You can answer these</h1>
				<p className="mt-1 max-w-[60ch] text-ink-2">
					Open queries that match your skills and the answers you have given. Only you see this list.
				</p>
				{rows.length > 0 && (
					<p className="meta mt-2 text-right max-sm:hidden" aria-hidden="true">
						Comments
					</p>
				)}
				{rows.length === 0 ? (
					<Nothing isFirst={cursor === null} />
				) : (
					<div className="mt-1 border-t border-line max-sm:mt-4">
						{rows.map((question) => (
							<AnswerableItem key={question.id} question={question} />
						))}
					</div>
				)}
				<ListPages firstHref={cursor === null ? null : answerPath()} more={more} />
			</div>
			<aside className="mt-8 lg:mt-0">
				<section aria-labelledby="ask-me">
					<SectionHeading id="ask-me" title="Would you like to be asked?" />
					<OptInForm optedIn={optedIn} from={ANSWER_PATH} />
				</section>
				<section className="mt-8" aria-labelledby="feed">
					<SectionHeading id="feed" title="As a feed" />
					<p className="mt-2 text-sm text-ink-3">
						<a className="link" href={feed}>
							Your Atom feed
						</a>{' '}
						has this list without a login. Anyone with its address can read it.
					</p>
					<Form method="post" action={ANSWER_PATH} className="mt-3" preventScrollReset>
						<button className="btn btn-sm btn-outline" type="submit" name="intent" value="new-feed">
							New address
						</button>
					</Form>
				</section>
			</aside>
		</div>
	)
}

function Nothing({ isFirst }: { isFirst: boolean }) {
	const { viewer } = useRootData()
	if (!isFirst)
		return (
			<EmptyState
				title="No more queries."
				action={
					<Link className="btn btn-outline" to={answerPath()}>
						Back to the first page
					</Link>
				}
			/>
		)
	return (
		<EmptyState
			title="Nothing for you right now."
			action={
				<Link className="btn btn-outline" to={`/edit-profile/${viewer?.username ?? ''}`}>
					Add skills to your profile
				</Link>
			}
		>
			Queries are found by the skills on your profile and by what you have answered. Every skill that you add brings the
			open queries about it here.
		</EmptyState>
	)
}
