import { ModerationFrame } from '~/features/moderation/components/moderation-frame.tsx'
import { requirePageModerator } from '~/features/moderation/members.server.ts'
import { MEMBER_SUBJECT } from '~/features/moderation/moderation.policy.ts'
import { withParams } from '~/lib/addresses.ts'
import { pageMeta } from '~/lib/page-meta.ts'
import { formatNumber } from '~/lib/text.ts'
import { chooseIntent, readForm, refuseForm } from '~/platform/http/form.server.ts'
import type { FormRefusal } from '~/platform/http/form.ts'
import { redirectWithSuccess, requireLogin, withHttpErrors } from '~/platform/http/http.ts'
import { FormError } from '~/ui/form-error.tsx'
import { Form, Link } from '~/ui/link.tsx'
import { LocalTime } from '~/ui/local-time.tsx'
import { SectionHeading } from '~/ui/section-heading.tsx'
import { Amounts, HideForm, PeriodSelect, stateWords, UndoFields } from '../components/takedown-parts.tsx'
import { getTakedownPage, type TakedownPage, takeDown, undoTakedown } from '../takedowns.server.ts'
import { type TakedownView, takedownPath } from '../takedowns.view.ts'
import type { Route } from './+types/takedown'

export function loader({ request, params, context, url }: Route.LoaderArgs) {
	return withHttpErrors(async () => {
		const viewer = await requirePageModerator({ request, context, url })
		return getTakedownPage(viewer, params.username, url.searchParams.get('period'))
	})
}

export async function action({ request, params, context, url }: Route.ActionArgs) {
	const viewer = requireLogin(context, url)
	const form = await readForm(request)
	try {
		const input = Object.fromEntries(form)
		const message = await chooseIntent(form.get('intent'), {
			hide: () => takeDown(viewer, params.username, input),
			undo: () => undoTakedown(viewer, params.username, input),
		})
		return redirectWithSuccess(takedownPath(params.username), message)
	} catch (error) {
		return refuseForm(error, form)
	}
}

export function meta({ matches }: Route.MetaArgs) {
	return pageMeta(matches, { title: 'Everything of an account', noindex: true })
}

export default function Takedown({ loaderData: page, actionData }: Route.ComponentProps) {
	const { member, period, past, isRunning } = page
	const refusal = actionData ?? null
	// With the period, so that without scripts a rejected form comes back with the numbers of what it hides.
	const here = withParams(takedownPath(member.username), { period: period === 'all' ? null : period })
	return (
		<ModerationFrame title={`Everything of ${member.name}`}>
			<p className="mt-4 max-w-[36rem] text-ink-2">
				Hides what{' '}
				<Link className="link" to={`/moderation/${MEMBER_SUBJECT}/${member.username}`}>
					@{member.username}
				</Link>{' '}
				published, in one step that can be undone. Posts under a pseudonym stay.
			</p>
			<Preview page={page} />
			{isRunning ? (
				<p className="mt-6 max-w-[36rem] rounded-sm border border-line-2 bg-sunken px-4 py-3 text-sm" role="status">
					This is being worked on.{' '}
					<Link className="link" to={takedownPath(member.username)}>
						Look again
					</Link>
				</p>
			) : (
				<HideEverything page={page} here={here} refusal={refusal?.values.intent === 'hide' ? refusal : null} />
			)}
			{past.length > 0 && (
				<section className="mt-10 max-w-[36rem]" aria-labelledby="past">
					<SectionHeading id="past" title="What was hidden before" />
					<ul>
						{past.map((one) => (
							<Past
								key={one.id}
								one={one}
								here={here}
								refusal={refusal?.values.intent === 'undo' && refusal.values.id === String(one.id) ? refusal : null}
							/>
						))}
					</ul>
				</section>
			)}
		</ModerationFrame>
	)
}

/** The amounts of a period, which can be changed here. */
function Preview({ page: { member, period, amounts } }: { page: TakedownPage }) {
	return (
		<section className="mt-6 max-w-[36rem]" aria-labelledby="preview">
			<SectionHeading id="preview" title="What would be hidden" />
			<Form className="mt-2 flex items-end gap-2" action={takedownPath(member.username)}>
				<div className="min-w-0 flex-1">
					<PeriodSelect period={period} />
				</div>
				<button className="btn btn-outline" type="submit">
					Count
				</button>
			</Form>
			<Amounts amounts={amounts} />
		</section>
	)
}

interface HideEverythingProps {
	page: TakedownPage
	/** The address of the page. */
	here: string
	refusal: FormRefusal | null
}

function HideEverything({ page: { from, amounts }, here, refusal }: HideEverythingProps) {
	const total = amounts.reduce((sum, { count }) => sum + count, 0)
	if (total === 0) return <p className="mt-6 text-ink-2">There is nothing to hide.</p>
	return (
		<HideForm
			here={here}
			from={from}
			refusal={refusal}
			whyHint="The member sees this. Admins see it in the log."
			submit={total === 1 ? 'Hide it' : `Hide all ${formatNumber(total)}`}
		/>
	)
}

function Past({ one, here, refusal }: { one: TakedownView; here: string; refusal: FormRefusal | null }) {
	const isRunning = one.state === 'running' || one.state === 'undoing'
	return (
		<li className="border-b border-line py-4 text-sm wrap-anywhere">
			<p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-ink-3">
				<LocalTime at={one.at} />
				<span>by @{one.actor}</span>
				<span className="chip">{stateWords[one.state]}</span>
				{one.suspended && <span className="chip">with a suspension</span>}
			</p>
			<p className="mt-1.5">
				{isRunning ? `${formatNumber(one.soFar)} so far.` : `Hidden: ${one.hidden}.`}
				{one.restored && ` Restored: ${one.restored}.`}
				{one.from && (
					<>
						{' '}
						Published since <LocalTime at={one.from} />.
					</>
				)}
			</p>
			<p className="mt-1 text-ink-2">{one.reason}</p>
			{one.state !== 'done' && refusal && (
				<div className="mt-3">
					<FormError>{refusal.message}</FormError>
				</div>
			)}
			{one.state === 'done' && (
				<Form method="post" action={here} className="mt-3 grid gap-3" replace noValidate>
					<input type="hidden" name="id" value={one.id} />
					<UndoFields
						id={`undo-${one.id}-why`}
						here={here}
						refusal={refusal}
						whyHint="Restores everything that this takedown hid, unless it was changed since, and ends its suspension."
						submit="Undo"
					/>
				</Form>
			)}
		</li>
	)
}
