import { requireConfirmed } from '~/features/accounts/security/confirmation.server.ts'
import { requireFreshLogin } from '~/features/accounts/viewer.server.ts'
import { pageMeta } from '~/lib/page-meta.ts'
import { pluralize } from '~/lib/text.ts'
import { chooseIntent, readForm, refuseForm } from '~/platform/http/form.server.ts'
import type { FormRefusal } from '~/platform/http/form.ts'
import { redirectWithSuccess, redirectWithToast, requireLogin, withHttpErrors } from '~/platform/http/http.ts'
import { FormError } from '~/ui/form-error.tsx'
import { Form, Link } from '~/ui/link.tsx'
import { LocalTime } from '~/ui/local-time.tsx'
import { SectionHeading } from '~/ui/section-heading.tsx'
import { SettingsPage } from '~/ui/settings-page.tsx'
import { SubmitButton } from '~/ui/submit-button.tsx'
import { cancelLeaving, getLeaving, type LeavingView, leave } from '../leaving/leaving.server.ts'
import { DATA_PATH, DAYS_TO_COME_BACK, LEAVE_PATH } from '../privacy.limits.ts'
import type { Route } from './+types/leave'

export function loader({ request, context, url }: Route.LoaderArgs) {
	return withHttpErrors(async () => {
		const { viewer } = await requireFreshLogin({ request, context, url })
		return await getLeaving(viewer)
	})
}

export async function action({ request, context, url }: Route.ActionArgs) {
	const viewer = requireLogin(context, url)
	const form = await readForm(request)
	try {
		return await chooseIntent(form.get('intent'), {
			'keep-account': async () => {
				await cancelLeaving(viewer)
				return redirectWithSuccess('/settings', 'Welcome back. Your account stays.')
			},
			leave: async () => {
				await requireConfirmed(viewer, request, LEAVE_PATH)
				await leave(viewer, Object.fromEntries(form))
				return redirectWithToast('/login', {
					type: 'plain',
					message: `Your account will be deleted in ${DAYS_TO_COME_BACK} days. Log in until then to keep it.`,
				})
			},
		})
	} catch (error) {
		return refuseForm(error, form)
	}
}

export function meta({ matches }: Route.MetaArgs) {
	return pageMeta(matches, { title: 'Leave', noindex: true })
}

export default function Leave({ loaderData: { departure, holdings }, actionData: refusal }: Route.ComponentProps) {
	const isKeeping = refusal?.values.intent === 'keep-account'
	return (
		<SettingsPage
			title={departure ? (departure.isByRule ? 'Your account stays' : 'Your account is being deleted') : 'Leave'}
		>
			{departure && <ComeBack departure={departure} refusal={isKeeping ? refusal : undefined} />}
			{departure?.isByRule && (
				<div className="mt-10">
					<SectionHeading title="Delete it after all" />
				</div>
			)}
			{(!departure || departure.isByRule) && (
				<LeaveForm holdings={holdings} refusal={isKeeping ? undefined : refusal} />
			)}
		</SettingsPage>
	)
}

function ComeBack({
	departure: { leavesAt, keepsTexts, isByRule },
	refusal,
}: {
	departure: NonNullable<LeavingView['departure']>
	refusal: FormRefusal | undefined
}) {
	return (
		<>
			{isByRule ? (
				<p className="mt-2 max-w-read text-ink-2">
					It was to be deleted on <LocalTime at={leavesAt} />, as you had not logged in since you left the university.
					You have logged in, so it stays, and is back within a day, or at once:
				</p>
			) : (
				<p className="mt-2 max-w-read text-ink-2">
					It will be deleted on <LocalTime at={leavesAt} />. What you wrote in the forum{' '}
					{keepsTexts ? 'stays under “Former member”.' : 'goes with it, apart from what others built on.'} Until then
					your profile is hidden and you can only read.
				</p>
			)}
			<Form method="post" action={LEAVE_PATH} className="mt-6">
				<FormError>{refusal?.message}</FormError>
				<SubmitButton action={LEAVE_PATH} name="intent" value="keep-account" busyLabel="Keeping it...">
					Keep my account
				</SubmitButton>
			</Form>
		</>
	)
}

function LeaveForm({ holdings, refusal }: { holdings: LeavingView['holdings']; refusal: FormRefusal | undefined }) {
	const { questions, comments, builtOn, conversations, pictures } = holdings
	const wrote = `${pluralize(questions, 'query', 'queries')} and ${pluralize(comments, 'comment')}`
	const error = refusal?.errors.texts
	return (
		<>
			<p className="mt-2 max-w-read text-ink-2">
				You are logged out everywhere and your profile is hidden at once. You then have {DAYS_TO_COME_BACK} days to come
				back by logging in. After that, everything below is deleted for good, also from the search. Backups that the
				operator of this site made before keep it until they are replaced.
			</p>
			<p className="mt-2 max-w-read text-ink-2">
				To take your data along, ask for{' '}
				<Link className="link" to={DATA_PATH}>
					an archive of it
				</Link>{' '}
				first.
			</p>
			<Form method="post" action={LEAVE_PATH} className="mt-8">
				<FormError errors={refusal?.errors} names={{ texts: 'what you wrote' }}>
					{refusal?.message}
				</FormError>
				{questions + comments === 0 ? (
					// Also for what they write elsewhere until they press the button.
					<input type="hidden" name="texts" value="keep" />
				) : (
					<fieldset className={refusal ? 'mt-4' : ''} aria-describedby={error ? 'texts-error' : undefined}>
						<legend className="label">You wrote {wrote}. What happens to them?</legend>
						<Choice value="keep" title="They stay under “Former member”" chosen={refusal?.values.texts}>
							Nobody sees any more that they are yours, or that they are by the same person.
						</Choice>
						<Choice value="remove" title="They are deleted" chosen={refusal?.values.texts}>
							{builtOn === 0
								? 'None of them has replies from others or was chosen as a solution, so all of them will be deleted.'
								: `${pluralize(builtOn, 'text')} that others replied to or chose as a solution ${builtOn === 1 ? 'stays' : 'stay'} under “Former member”.`}
						</Choice>
						{error && (
							<p className="error mt-2" id="texts-error">
								{error}
							</p>
						)}
					</fieldset>
				)}
				<DeletedAnyway pictures={pictures} conversations={conversations} />
				<SubmitButton
					action={LEAVE_PATH}
					className="btn btn-danger mt-6"
					name="intent"
					value="leave"
					busyLabel="Logging out..."
				>
					Delete my account
				</SubmitButton>
			</Form>
		</>
	)
}

/** What is deleted whichever choice the member makes. */
function DeletedAnyway({ pictures, conversations }: { pictures: number; conversations: number }) {
	return (
		<section className="mt-8" aria-labelledby="deleted">
			<SectionHeading id="deleted" title="In any case" />
			<ul className="mt-3 grid list-disc gap-1 pl-5">
				<li>
					Your profile, {pictures > 0 && `${pluralize(pictures, 'picture')}, `}drafts, bookmarks, votes, follows,
					notifications, access tokens and sessions are deleted, as are texts that you deleted before.
				</li>
				{conversations > 0 && (
					<li>
						{pluralize(conversations, 'conversation')}: the other member keeps the words, by a “Former member” who
						cannot be looked up. Your pictures in them are deleted.
					</li>
				)}
				<li>What moderators decided stays in their log, without your words.</li>
				<li>Nobody else will get your username.</li>
			</ul>
		</section>
	)
}

function Choice({
	value,
	title,
	chosen,
	children,
}: {
	value: string
	title: string
	chosen: string | undefined
	children: React.ReactNode
}) {
	return (
		<div className="mt-3">
			<label className="check" htmlFor={value === 'keep' ? 'texts' : `texts-${value}`}>
				<input
					type="radio"
					className="check-box rounded-full"
					id={value === 'keep' ? 'texts' : `texts-${value}`}
					name="texts"
					value={value}
					defaultChecked={chosen === value}
					required
					aria-describedby={`texts-${value}-hint`}
				/>
				<span>{title}</span>
			</label>
			<p className="hint -mt-0.5 pl-6.5" id={`texts-${value}-hint`}>
				{children}
			</p>
		</div>
	)
}
