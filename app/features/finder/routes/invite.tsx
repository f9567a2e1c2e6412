import { suggest } from '~/features/directory/suggestions.server.ts'
import { countUse } from '~/features/rate-limits/rate-limits.server.ts'
import { SearchForm } from '~/features/search/components/search-form.tsx'
import { declineToAnswer, getInvitations, inviteToAnswer } from '~/features/upkeep/invitations.server.ts'
import { invitePath, MAX_INVITED } from '~/features/upkeep/upkeep.view.ts'
import { profilePath, withParams } from '~/lib/addresses.ts'
import { requireId } from '~/lib/checks.ts'
import { pageMeta } from '~/lib/page-meta.ts'
import { chooseIntent, readForm, readText, refuseForm } from '~/platform/http/form.server.ts'
import { redirectWithSuccess, requireLogin, withHttpErrors } from '~/platform/http/http.ts'
import { Avatar } from '~/ui/avatar.tsx'
import { FormError } from '~/ui/form-error.tsx'
import { Form, Link } from '~/ui/link.tsx'
import { SectionHeading } from '~/ui/section-heading.tsx'
import { cleanSearch } from '../finder.server.ts'
import type { Route } from './+types/invite'

export function loader({ params, context, url }: Route.LoaderArgs) {
	return withHttpErrors(async () => {
		const viewer = requireLogin(context, url)
		const q = cleanSearch(url.searchParams.get('q') ?? '')
		if (q) await countUse('suggestions', viewer)
		const [{ question, invited }, { people }] = await Promise.all([
			getInvitations(viewer, requireId(params.id)),
			suggest(q, viewer),
		])
		return { question, invited, people: people.filter(({ username }) => username !== viewer.username), q }
	})
}

/** Asks the member in the field `username` to answer, or declines to answer (`intent=decline`). */
export async function action({ request, params, context, url }: Route.ActionArgs) {
	const viewer = requireLogin(context, url)
	const form = await readForm(request)
	return withHttpErrors(async () => {
		const id = requireId(params.id)
		return chooseIntent(form.get('intent'), {
			'': async () => {
				try {
					const { name } = await inviteToAnswer(viewer, id, readText(form, 'username'))
					const back = withParams(invitePath(id), { q: cleanSearch(url.searchParams.get('q') ?? '') })
					return redirectWithSuccess(back, `${name} is asked to answer.`)
				} catch (error) {
					return refuseForm(error, form)
				}
			},
			decline: async () => {
				const { url: back } = await declineToAnswer(viewer, id)
				return redirectWithSuccess(back, 'Nobody can ask you again to answer this.')
			},
		})
	})
}

export function meta({ matches }: Route.MetaArgs) {
	return pageMeta(matches, { title: 'Ask somebody to answer', noindex: true })
}

export default function Invite({ loaderData, actionData: refusal }: Route.ComponentProps) {
	const { question, invited, people, q } = loaderData
	const names = new Set(invited.map(({ username }) => username))
	return (
		<div className="max-w-[36rem] pt-6 md:pt-8">
			<h1 className="text-2xl leading-9 font-bold">Ask somebody to answer</h1>
			<p className="mt-1 text-ink-2 wrap-anywhere">
				<Link className="link" to={question.url}>
					{question.title}
				</Link>
			</p>
			{refusal && <FormError>{refusal.message}</FormError>}
			<SearchForm pathname={invitePath(question.id)} search={q} label="Search by name or skill" />
			{q && people.length === 0 && <p className="mt-4 text-ink-2">Nobody found.</p>}
			<ul className="mt-2">
				{people.map((person) => (
					<li key={person.username} className="flex items-center gap-3 border-b border-line py-2">
						<Avatar user={person} size={32} />
						<div className="min-w-0 flex-1">
							<Link className="quiet-link font-semibold wrap-anywhere" to={profilePath(person.username)}>
								{person.name}
							</Link>
							<p className="meta truncate">{person.skills.join(', ') || `@${person.username}`}</p>
						</div>
						<Form
							method="post"
							action={withParams(invitePath(question.id), { q })}
							className="flex flex-none"
							preventScrollReset
						>
							<AskButton person={person} isAsked={names.has(person.username)} />
						</Form>
					</li>
				))}
			</ul>
			<section className="mt-8" aria-labelledby="asked">
				<SectionHeading id="asked" title="You asked">
					<span>
						{invited.length} of {MAX_INVITED.byOne}
					</span>
				</SectionHeading>
				{invited.length === 0 ? (
					<p className="py-2 text-ink-2">Nobody yet. Anybody you ask is notified once.</p>
				) : (
					<ul className="grid gap-2 py-2">
						{invited.map((person) => (
							<li key={person.username} className="flex items-center gap-3">
								<Avatar user={person} size={24} />
								<Link className="quiet-link wrap-anywhere" to={profilePath(person.username)}>
									{person.name}
								</Link>
							</li>
						))}
					</ul>
				)}
			</section>
		</div>
	)
}

/** Keeps the focus once somebody is asked: browsers take it from a button that is `disabled`. */
function AskButton({
	person: { username, name },
	isAsked,
}: {
	person: { username: string; name: string }
	isAsked: boolean
}) {
	return (
		<button
			className="btn btn-sm btn-outline"
			type="submit"
			name="username"
			value={username}
			aria-disabled={isAsked || undefined}
			aria-label={`${isAsked ? 'Asked' : 'Ask'} ${name}`}
			onClick={(event) => isAsked && event.preventDefault()}
		>
			{isAsked ? 'Asked' : 'Ask'}
		</button>
	)
}
