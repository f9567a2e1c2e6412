import type { ReactNode } from 'react'
import { requireConfirmed } from '~/features/accounts/security/confirmation.server.ts'
import { requirePageAdmin } from '~/features/administration/admins.server.ts'
import { AdminFrame } from '~/features/administration/components/admin-frame.tsx'
import { memberAdminPath } from '~/features/administration/members/members.view.ts'
import { pageMeta } from '~/lib/page-meta.ts'
import { formatNumber, pluralize } from '~/lib/text.ts'
import { chooseIntent, readForm, refuseForm } from '~/platform/http/form.server.ts'
import type { FormRefusal } from '~/platform/http/form.ts'
import { redirectWithSuccess, requireLogin, withHttpErrors } from '~/platform/http/http.ts'
import { describedBy, FieldShell, TextArea } from '~/ui/field.tsx'
import { FormError } from '~/ui/form-error.tsx'
import { Form, Link } from '~/ui/link.tsx'
import { LocalTime } from '~/ui/local-time.tsx'
import { SectionHeading } from '~/ui/section-heading.tsx'
import { SubmitButton } from '~/ui/submit-button.tsx'
import {
	type CheckView,
	type LeaversPage,
	type LeaverView,
	type ListPreview,
	leaversPath,
	MAX_LIST_LINES,
} from '../campus-leavers.view.ts'
import { decideHeldCheck } from '../directory-check.server.ts'
import { getLeavers } from '../leavers-page.server.ts'
import { markList, previewList } from '../lists.server.ts'
import { takeMarkBack } from '../marking.server.ts'
import type { Route } from './+types/leavers'

export function loader({ request, context, url }: Route.LoaderArgs) {
	return withHttpErrors(async () => getLeavers(await requirePageAdmin({ request, context, url })))
}

/** `preview` and `mark` are for a list, `confirm` and `ignore` for a held check, `take-back` for a member. */
export async function action({ request, context, url }: Route.ActionArgs) {
	const viewer = requireLogin(context, url)
	const form = await readForm(request)
	const done = (message: string) => redirectWithSuccess(leaversPath, message)
	try {
		await requireConfirmed(viewer, request)
		const input = Object.fromEntries(form)
		return await chooseIntent(form.get('intent'), {
			preview: async () => ({ preview: await previewList(viewer, input) }),
			mark: async () => done(`${pluralize(await markList(viewer, input), 'member')} will be marked within minutes.`),
			confirm: async () => {
				await decideHeldCheck(viewer, Number(input.check), 'confirmed')
				return done('They will be marked within minutes.')
			},
			ignore: async () => {
				await decideHeldCheck(viewer, Number(input.check), 'ignored')
				return done('Ignored. Nobody was marked.')
			},
			'take-back': async () => {
				await takeMarkBack(viewer, Number(input.id))
				return done('Taken back.')
			},
		})
	} catch (error) {
		return refuseForm(error, form)
	}
}

export function meta({ matches }: Route.MetaArgs) {
	return pageMeta(matches, { title: 'People who have left the university', noindex: true })
}

export default function Leavers({ loaderData: page, actionData }: Route.ComponentProps) {
	const preview = actionData && 'preview' in actionData ? actionData.preview : null
	const refusal = actionData && 'message' in actionData ? actionData : null
	const of = (intent: string) => (refusal?.values.intent === intent ? refusal : null)
	return (
		<AdminFrame title="People who have left the university">
			<p className="mt-4 max-w-read text-ink-2">
				They are logged out, and their profile no longer says that they study there. {page.rule}{' '}
				<Link className="link" to="/admin/settings/campus-leavers">
					Change that
				</Link>
				. Whoever logs in with the login of the university again is no longer one of them.
			</p>
			{page.hasDirectory && <Check page={page} refusal={of('confirm') ?? of('ignore')} />}
			{preview ? <Preview preview={preview} /> : <ListForm refusal={of('preview') ?? of('mark')} />}
			<Marked leavers={page.leavers} refusal={of('take-back')} />
		</AdminFrame>
	)
}

function Check({ page: { check, staff }, refusal }: { page: LeaversPage; refusal: FormRefusal | null }) {
	return (
		<section className="mt-8 max-w-[36rem]" aria-labelledby="directory">
			<SectionHeading id="directory" title="The directory" />
			<p className="mt-3 text-ink-2">
				Members who log in by LDAP are looked up in the directory every night. Whoever is missing in two nights has
				left.
			</p>
			{check && (
				<p className="mt-3" role="status">
					<LocalTime at={check.at} />: {wordsOf(check)}
				</p>
			)}
			{check?.state === 'held' && <Held check={check} refusal={refusal} />}
			{staff.length > 0 && (
				<>
					<p className="mt-3">
						These moderators and admins are missing. Nobody marks them: change the role on their page, if they have
						left.
					</p>
					<People people={staff} />
				</>
			)}
		</section>
	)
}

function wordsOf({ state, asked, missing }: CheckView): string {
	const missed = `${pluralize(missing, 'member')} of ${formatNumber(asked)}`
	switch (state) {
		case 'failed':
			return 'the directory gave no clear answer, or knew nobody. Nobody was marked.'
		case 'held':
			return `${missed} are missing. So many at once may be a mistake in the settings, so nobody was marked.`
		case 'confirmed':
			return `${missed} were missing, and an admin confirmed that they have left.`
		case 'ignored':
			return `${missed} were missing, and an admin ignored that.`
		case 'done':
			return missing === 0 ? `nobody of ${formatNumber(asked)} has left.` : `${missed} had left.`
	}
}

function Held({ check: { id, missing, sample }, refusal }: { check: CheckView; refusal: FormRefusal | null }) {
	return (
		<>
			<People people={sample} more={missing - sample.length} />
			<Form method="post" className="mt-4 grid gap-3">
				<FormError>{refusal?.message}</FormError>
				<input type="hidden" name="check" value={id} />
				<p className="flex flex-wrap gap-2">
					<SubmitButton className="btn btn-danger" name="intent" value="confirm">
						They have left
					</SubmitButton>
					<button className="btn btn-outline" type="submit" name="intent" value="ignore">
						Ignore this check
					</button>
				</p>
			</Form>
		</>
	)
}

function ListForm({ refusal }: { refusal: FormRefusal | null }) {
	return (
		<section className="mt-8 max-w-[36rem]" aria-labelledby="list">
			<SectionHeading id="list" title="A list of the university" />
			<p className="mt-3 text-ink-2">
				One email address, username or enrolment number in each line, or a table with such columns, which its first line
				names. You see whom it would mark before anything is done.
			</p>
			<Form method="post" encType="multipart/form-data" className="mt-4 grid gap-5" noValidate>
				<FormError errors={refusal?.errors} names={{ file: 'File' }}>
					{refusal?.message}
				</FormError>
				<FieldShell
					label="File"
					name="file"
					id="file"
					hint={`Text or CSV, at most ${formatNumber(MAX_LIST_LINES)} lines and 2 MB.`}
					error={refusal?.errors.file}
				>
					<input
						className="input"
						type="file"
						id="file"
						name="file"
						accept=".csv,.txt,text/csv,text/plain"
						{...describedBy('file', refusal?.errors.file, true)}
					/>
				</FieldShell>
				<TextArea
					label="Or paste the lines"
					name="names"
					optional
					rows={5}
					defaultValue={refusal?.values.names}
					hint="A file takes precedence."
				/>
				<p>
					<SubmitButton busyLabel="Reading..." name="intent" value="preview">
						Check the list
					</SubmitButton>
				</p>
			</Form>
		</section>
	)
}

function Preview({ preview: { members, leftOut, leftOutCount } }: { preview: ListPreview }) {
	return (
		<section className="mt-8 max-w-[36rem]" aria-labelledby="preview">
			<SectionHeading id="preview" title={`The list names ${pluralize(members.length, 'member')}`} />
			<People people={members} />
			{leftOutCount > 0 && (
				<>
					<h3 className="mt-6 font-semibold">{pluralize(leftOutCount, 'line')} left out</h3>
					<ul className="mt-2">
						{leftOut.map(({ line, text, why }) => (
							<li key={line} className="border-b border-line py-2 wrap-anywhere">
								Line {line}: <span className="font-mono text-sm">{text}</span> <span className="text-ink-2">{why}</span>
							</li>
						))}
					</ul>
					{leftOutCount > leftOut.length && (
						<p className="mt-2 text-ink-3">And {pluralize(leftOutCount - leftOut.length, 'more line')}.</p>
					)}
				</>
			)}
			<Form method="post" className="mt-6 flex flex-wrap gap-2">
				<input type="hidden" name="ids" value={members.map(({ id }) => id).join(',')} />
				{members.length > 0 && (
					<SubmitButton className="btn btn-danger" name="intent" value="mark">
						{`${pluralize(members.length, 'member')} ${members.length === 1 ? 'has' : 'have'} left`}
					</SubmitButton>
				)}
				<Link className="btn btn-ghost" to={leaversPath}>
					Cancel
				</Link>
			</Form>
		</section>
	)
}

function Marked({ leavers, refusal }: { leavers: LeaversPage['leavers']; refusal: FormRefusal | null }) {
	return (
		<section className="mt-10 max-w-[36rem]" aria-labelledby="marked">
			<SectionHeading id="marked" title="Who has left">
				{leavers.length > 0 && (
					<Link className="quiet-link" to="/admin/members?state=left">
						All of them
					</Link>
				)}
			</SectionHeading>
			<FormError>{refusal?.message}</FormError>
			{leavers.length === 0 && <p className="mt-3 text-ink-2">Nobody yet.</p>}
			{leavers.length > 0 && (
				<ul>
					{leavers.map((one) => (
						<li key={one.id} className="flex flex-wrap items-center gap-x-4 gap-y-2 border-b border-line py-2.5">
							<Person person={one}>
								, <LocalTime at={one.leftAt} />
							</Person>
							<Form method="post">
								<input type="hidden" name="id" value={one.id} />
								<button
									className="btn btn-sm btn-ghost"
									type="submit"
									name="intent"
									value="take-back"
									aria-label={`Take back that ${one.name} has left`}
								>
									Take back
								</button>
							</Form>
						</li>
					))}
				</ul>
			)}
		</section>
	)
}

/** People that a page lists. */
const MAX_LISTED = 100

function People({ people, more = 0 }: { people: LeaverView[]; more?: number }) {
	const hidden = more + Math.max(0, people.length - MAX_LISTED)
	return (
		<>
			<ul className="mt-2">
				{people.slice(0, MAX_LISTED).map((one) => (
					<li key={one.id} className="flex border-b border-line py-2">
						<Person person={one} />
					</li>
				))}
			</ul>
			{hidden > 0 && <p className="mt-2 text-ink-3">And {formatNumber(hidden)} more.</p>}
		</>
	)
}

function Person({ person: { username, name, email }, children }: { person: LeaverView; children?: ReactNode }) {
	return (
		<p className="min-w-0 flex-1 wrap-anywhere">
			<Link className="quiet-link font-semibold" to={memberAdminPath(username)}>
				{name}
			</Link>{' '}
			<span className="meta">
				@{username}, {email}
				{children}
			</span>
		</p>
	)
}
