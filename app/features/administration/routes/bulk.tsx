import { redirect } from 'react-router'
import { requireConfirmed } from '~/features/accounts/security/confirmation.server.ts'
import { moderationLimits } from '~/features/moderation/moderation.limits.ts'
import { suspensionDurations } from '~/features/moderation/moderation.policy.ts'
import { withParams } from '~/lib/addresses.ts'
import { Invalid } from '~/lib/errors.ts'
import { pageMeta } from '~/lib/page-meta.ts'
import { formatNumber, pluralize } from '~/lib/text.ts'
import { requireAdmin } from '~/lib/viewer.ts'
import { readForm, refuseForm } from '~/platform/http/form.server.ts'
import type { FormRefusal } from '~/platform/http/form.ts'
import { requireLogin, withHttpErrors } from '~/platform/http/http.ts'
import { Field, Select } from '~/ui/field.tsx'
import { FormError } from '~/ui/form-error.tsx'
import { Form, Link } from '~/ui/link.tsx'
import { SectionHeading } from '~/ui/section-heading.tsx'
import { SubmitButton } from '~/ui/submit-button.tsx'
import { requirePageAdmin } from '../admins.server.ts'
import { AdminFrame } from '../components/admin-frame.tsx'
import {
	actsRequiringConfirmation,
	type BulkPreview,
	type BulkResult,
	listChosenNames,
	previewBulk,
	runBulk,
} from '../members/bulk.server.ts'
import {
	bulkActs,
	bulkPath,
	HIDE_EVERYTHING,
	memberAdminPath,
	membersPath,
	type SkippedMembers,
} from '../members/members.view.ts'
import type { Route } from './+types/bulk'

/** The selection is in the address, so that it survives the confirmation of the admin's identity. */
export function loader({ request, context, url }: Route.LoaderArgs) {
	return withHttpErrors(async () => {
		const viewer = await requirePageAdmin({ request, context, url })
		try {
			if (url.searchParams.get('act') === HIDE_EVERYTHING) {
				const names = await listChosenNames(viewer, url.searchParams)
				throw redirect(withParams('/moderation/accounts', { accounts: names.join(' ') }))
			}
			return { preview: await previewBulk(viewer, url.searchParams), problem: '', here: bulkPath + url.search }
		} catch (error) {
			if (!(error instanceof Invalid)) throw error
			return { preview: null, problem: error.message, here: bulkPath }
		}
	})
}

export async function action({ request, context, url }: Route.ActionArgs) {
	const viewer = requireLogin(context, url)
	const form = await readForm(request)
	try {
		const admin = requireAdmin(viewer)
		const act = url.searchParams.get('act')
		if (actsRequiringConfirmation.some((one) => one === act)) await requireConfirmed(admin, request)
		return { result: await runBulk(admin, act, Object.fromEntries(form)) }
	} catch (error) {
		return refuseForm(error, form)
	}
}

export function meta({ matches }: Route.MetaArgs) {
	return pageMeta(matches, { title: 'Many members at once', noindex: true })
}

export default function Bulk({ loaderData: { preview, problem, here }, actionData }: Route.ComponentProps) {
	const result = actionData && 'result' in actionData ? actionData.result : null
	const refusal = actionData && 'message' in actionData ? actionData : null
	return (
		<AdminFrame title={preview ? bulkActs[preview.act] : 'Many members at once'}>
			{result ? (
				<Result result={result} />
			) : preview ? (
				<Preview preview={preview} here={here} refusal={refusal} />
			) : (
				<div className="mt-5">
					<FormError>{problem}</FormError>
				</div>
			)}
			<p className="mt-8">
				<Link className="link" to={membersPath}>
					Back to the members
				</Link>
			</p>
		</AdminFrame>
	)
}

interface PreviewProps {
	preview: BulkPreview
	here: string
	refusal: FormRefusal | null
}

function Preview({ preview: { act, members, leftOut }, here, refusal }: PreviewProps) {
	return (
		<>
			<section className="mt-6 max-w-[36rem]" aria-labelledby="for-whom">
				<SectionHeading id="for-whom" title={`For ${pluralize(members.length, 'member')}`} />
				<Names usernames={members.map(({ username }) => username)} />
			</section>
			<Left leftOut={leftOut} />
			{members.length > 0 && (
				<Form method="post" action={here} className="mt-8 grid max-w-[36rem] gap-4" replace noValidate>
					<input type="hidden" name="ids" value={members.map(({ id }) => id).join(',')} />
					<FormError errors={refusal?.errors} names={{ why: 'Why', time: 'For how long', cohort: 'Cohort' }}>
						{refusal?.message}
					</FormError>
					{act === 'suspend' && (
						<Select
							label="For how long"
							name="time"
							defaultValue={refusal?.values.time ?? '1 day'}
							error={refusal?.errors.time}
						>
							{suspensionDurations.map((time) => (
								<option key={time}>{time}</option>
							))}
						</Select>
					)}
					{act === 'cohort' && (
						<Field
							label="Cohort"
							name="cohort"
							optional
							maxLength={60}
							defaultValue={refusal?.values.cohort ?? ''}
							error={refusal?.errors.cohort}
							hint="Such as CSE 2027. If empty, they have none, until the university first names one."
						/>
					)}
					<Field
						label="Why"
						name="why"
						maxLength={moderationLimits.whyMax}
						defaultValue={refusal?.values.why ?? ''}
						error={refusal?.errors.why}
						hint={
							act === 'suspend' || act === 'lift'
								? 'The members see this. Admins see it in the log, for each of them.'
								: 'Admins see this in the log, for each of them.'
						}
					/>
					<p>
						<SubmitButton className={act === 'suspend' ? 'btn btn-danger' : 'btn btn-primary'} action={here}>
							{`${bulkActs[act]}: ${pluralize(members.length, 'member')}`}
						</SubmitButton>
					</p>
				</Form>
			)}
		</>
	)
}

function Result({ result: { done, leftOut } }: { result: BulkResult }) {
	return (
		<>
			<p className="mt-6 font-semibold" role="status">
				{`Done for ${pluralize(done, 'member')}.`}
			</p>
			<Left leftOut={leftOut} />
		</>
	)
}

/** Members who are left out, by reason. */
function Left({ leftOut }: { leftOut: SkippedMembers[] }) {
	if (leftOut.length === 0) return null
	const count = leftOut.reduce((sum, { usernames }) => sum + usernames.length, 0)
	return (
		<section className="mt-6 max-w-[36rem]" aria-labelledby="left-out">
			<SectionHeading id="left-out" title={`${pluralize(count, 'member')} left out`} />
			<ul>
				{leftOut.map(({ why, usernames }) => (
					<li key={why} className="border-b border-line py-2.5">
						<p>{why}</p>
						<Names usernames={usernames} />
					</li>
				))}
			</ul>
		</section>
	)
}

/** Names that a page lists. */
const MAX_NAMED = 100

function Names({ usernames }: { usernames: string[] }) {
	const more = usernames.length - MAX_NAMED
	return (
		<p className="mt-1 text-sm leading-6 wrap-anywhere text-ink-2">
			{usernames.slice(0, MAX_NAMED).map((username, index) => (
				<span key={username}>
					{index > 0 && ', '}
					<Link className="quiet-link" to={memberAdminPath(username)}>
						@{username}
					</Link>
				</span>
			))}
			{more > 0 && ` and ${formatNumber(more)} more`}
		</p>
	)
}
