import { requireConfirmed } from '~/features/accounts/security/confirmation.server.ts'
import { requirePageAdmin } from '~/features/administration/admins.server.ts'
import { AdminFrame } from '~/features/administration/components/admin-frame.tsx'
import { memberAdminPath } from '~/features/administration/members/members.view.ts'
import { moderationLimits } from '~/features/moderation/moderation.limits.ts'
import { pageMeta } from '~/lib/page-meta.ts'
import { formatNumber } from '~/lib/text.ts'
import { requireAdmin } from '~/lib/viewer.ts'
import { readForm, refuseForm } from '~/platform/http/form.server.ts'
import type { FormRefusal } from '~/platform/http/form.ts'
import { redirectWithSuccess, requireLogin, withHttpErrors } from '~/platform/http/http.ts'
import { Avatar } from '~/ui/avatar.tsx'
import { SuggestField } from '~/ui/combobox.tsx'
import { Field } from '~/ui/field.tsx'
import { FormError } from '~/ui/form-error.tsx'
import { Form, Link } from '~/ui/link.tsx'
import { SectionHeading } from '~/ui/section-heading.tsx'
import { SubmitButton } from '~/ui/submit-button.tsx'
import { type MergeCount, type MergePage, type MergePerson, type MergePreview, mergePath } from '../merge.view.ts'
import { getMergePage, mergeAccounts } from '../merging.server.ts'
import type { Route } from './+types/merge'

export function loader({ request, params, context, url }: Route.LoaderArgs) {
	return withHttpErrors(async () => {
		const viewer = await requirePageAdmin({ request, context, url })
		return getMergePage(viewer, params.username, url.searchParams.get('into'))
	})
}

export async function action({ request, params, context, url }: Route.ActionArgs) {
	const viewer = requireLogin(context, url)
	const form = await readForm(request)
	try {
		const admin = requireAdmin(viewer)
		const input = Object.fromEntries(form)
		await requireConfirmed(admin, request, mergePath(params.username, String(input.into ?? '')))
		const kept = await mergeAccounts(admin, params.username, input)
		const message = `@${params.username} is part of @${kept} now.`
		return redirectWithSuccess(memberAdminPath(kept), message)
	} catch (error) {
		return refuseForm(error, form)
	}
}

export function meta({ matches }: Route.MetaArgs) {
	return pageMeta(matches, { title: 'Merge two accounts', noindex: true })
}

export default function Merge({ loaderData: page, actionData }: Route.ComponentProps) {
	const { gone, preview } = page
	return (
		<AdminFrame title={`Merge @${gone.username} into another account`}>
			<p className="mt-4 max-w-[36rem] text-ink-2">
				For somebody who registered twice. Everything of{' '}
				<Link className="link" to={memberAdminPath(gone.username)}>
					@{gone.username}
				</Link>{' '}
				moves to the account that is kept, and this account is deleted. This cannot be undone.
			</p>
			<KeptForm page={page} />
			{preview && (
				<>
					<Preview gone={gone} preview={preview} />
					<MergeForm gone={gone} preview={preview} refusal={actionData ?? null} />
				</>
			)}
		</AdminFrame>
	)
}

function KeptForm({ page: { gone, typed, refusal } }: { page: MergePage }) {
	return (
		<section className="mt-6 max-w-[36rem]" aria-labelledby="kept">
			<SectionHeading id="kept" title="The account that is kept" />
			<Form className="mt-2 grid gap-3" action={mergePath(gone.username)}>
				<SuggestField
					key={typed}
					label="Username or email address"
					name="into"
					source="/suggest/people"
					autoCapitalize="none"
					defaultValue={typed}
					error={refusal}
					hint="First you see what would move. Nothing is changed yet."
				/>
				<p>
					<button className="btn btn-outline" type="submit">
						Look at it
					</button>
				</p>
			</Form>
		</section>
	)
}

function Preview({ gone, preview: { kept, moves, same, ends, facts } }: { gone: MergePerson; preview: MergePreview }) {
	return (
		<>
			<section className="mt-8 max-w-[36rem]" aria-labelledby="which">
				<SectionHeading id="which" title="What would happen" />
				<ul className="mt-3 grid gap-3 sm:grid-cols-2">
					<Person person={gone} what="ends" />
					<Person person={kept} what="is kept" />
				</ul>
				<ul className="mt-4 grid list-disc gap-1.5 pl-5 text-ink-2 wrap-anywhere">
					{facts.map((fact) => (
						<li key={fact}>{fact}</li>
					))}
				</ul>
			</section>
			<Amounts id="moves" title={`Moves to @${kept.username}`} amounts={moves} none="There is nothing to move." />
			{same.length > 0 && (
				<Amounts id="same" title={`Both have it: that of @${kept.username} stays`} amounts={same} none="" />
			)}
			<Amounts id="ends" title={`Ends with @${gone.username}`} amounts={ends} none="Nothing." />
		</>
	)
}

function Person({ person, what }: { person: MergePerson; what: string }) {
	const { username, name } = person
	return (
		<li className="flex min-w-0 items-center gap-3 rounded-sm border border-line-2 px-3 py-2.5">
			<Avatar user={person} size={40} />
			<p className="min-w-0">
				<Link className="link block truncate" to={memberAdminPath(username)}>
					{name}
				</Link>
				<span className="block truncate text-sm text-ink-3">
					@{username} {what}
				</span>
			</p>
		</li>
	)
}

interface AmountsProps {
	id: string
	title: string
	amounts: (MergeCount & { why?: string })[]
	/** Shown if the list is empty. */
	none: string
}

function Amounts({ id, title, amounts, none }: AmountsProps) {
	return (
		<section className="mt-8 max-w-[36rem]" aria-labelledby={id}>
			<SectionHeading id={id} title={title} />
			{amounts.length === 0 && <p className="mt-2 text-ink-2">{none}</p>}
			<dl className="mt-2">
				{amounts.map(({ label, count, why }) => (
					<div key={label} className="flex justify-between gap-4 border-b border-line py-2">
						<dt className="min-w-0 wrap-anywhere">
							{label}
							{why && <span className="block text-sm text-ink-3">{why}</span>}
						</dt>
						<dd className="font-mono">{formatNumber(count)}</dd>
					</div>
				))}
			</dl>
		</section>
	)
}

interface MergeFormProps {
	gone: MergePerson
	preview: MergePreview
	refusal: FormRefusal | null
}

function MergeForm({ gone, preview: { kept }, refusal }: MergeFormProps) {
	const here = mergePath(gone.username, kept.username)
	return (
		<section className="mt-8 max-w-[36rem]" aria-labelledby="merge">
			<SectionHeading id="merge" title="Merge them" />
			<Form method="post" action={here} className="mt-2 grid gap-4" replace noValidate>
				<input type="hidden" name="into" value={kept.username} />
				<FormError errors={refusal?.errors} names={{ username: 'Username of the account to delete', why: 'Why' }}>
					{refusal?.message}
				</FormError>
				<Field
					label="Username of the account to delete"
					name="username"
					autoComplete="off"
					autoCapitalize="none"
					defaultValue={refusal?.values.username ?? ''}
					error={refusal?.errors.username}
					hint={`Type ${gone.username}. The account cannot be restored.`}
				/>
				<Field
					label="Why"
					name="why"
					maxLength={moderationLimits.whyMax}
					defaultValue={refusal?.values.why ?? ''}
					error={refusal?.errors.why}
					hint="Admins see this in the log. Both accounts’ addresses get a mail about the merge."
				/>
				<p>
					<SubmitButton className="btn btn-danger wrap-anywhere" busyLabel="Merging..." action={here}>
						Merge into @{kept.username}
					</SubmitButton>
				</p>
			</Form>
		</section>
	)
}
