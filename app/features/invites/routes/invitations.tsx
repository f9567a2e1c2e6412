import { useRef, useState } from 'react'
import { data } from 'react-router'
import { requirePageViewer } from '~/features/accounts/viewer.server.ts'
import { AdminFrame } from '~/features/administration/components/admin-frame.tsx'
import { withParams } from '~/lib/addresses.ts'
import { pageMeta } from '~/lib/page-meta.ts'
import { pluralize } from '~/lib/text.ts'
import { chooseIntent, readForm, refuseForm } from '~/platform/http/form.server.ts'
import type { FormRefusal } from '~/platform/http/form.ts'
import { redirectWithSuccess, withHttpErrors } from '~/platform/http/http.ts'
import { Field } from '~/ui/field.tsx'
import { FormError } from '~/ui/form-error.tsx'
import { Form, Link } from '~/ui/link.tsx'
import { EmptyState } from '~/ui/list-states.tsx'
import { LocalTime } from '~/ui/local-time.tsx'
import { ListPages } from '~/ui/more-link.tsx'
import { SectionHeading } from '~/ui/section-heading.tsx'
import { SubmitButton } from '~/ui/submit-button.tsx'
import { useFocusFallback } from '~/ui/use-focus-kept.ts'
import { useMore, withoutDuplicates } from '~/ui/use-more.ts'
import {
	type InviteListView,
	type InviteView,
	invitesPath,
	listPath,
	newListPath,
	progressOf,
} from '../invites.view.ts'
import { getInvites, makeInvite, requireInviter, revokeInvite } from '../joining/invites.server.ts'
import { getLists } from '../lists/lists.server.ts'
import type { Route } from './+types/invitations'

export function loader({ request, context, url }: Route.LoaderArgs) {
	return withHttpErrors(async () => {
		const viewer = requireInviter(await requirePageViewer({ request, context, url }))
		const isAdmin = viewer.role === 'admin'
		const [cursor, listsFrom] = ['cursor', 'lists'].map((name) => url.searchParams.get(name) || null)
		const [page, lists] = await Promise.all([
			getInvites(viewer, cursor),
			isAdmin ? getLists(viewer, listsFrom) : { rows: [], next: null },
		])
		return { cursor: cursor ?? null, page, lists: { ...lists, isFirst: listsFrom === null }, isAdmin }
	})
}

/** A new link is only in the response to the form, never in an address, a cookie or a later page. */
export function action({ request, context, url }: Route.ActionArgs) {
	return withHttpErrors(async () => {
		const viewer = requireInviter(await requirePageViewer({ request, context, url }))
		const form = await readForm(request)
		try {
			return await chooseIntent(form.get('intent'), {
				make: async () => {
					const link = await makeInvite(viewer, Object.fromEntries(form))
					return data({ link, refusal: null }, { status: 201, headers: { 'Cache-Control': 'no-store' } })
				},
				revoke: async () => {
					await revokeInvite(viewer, Number(form.get('id')))
					return redirectWithSuccess(invitesPath, 'The link no longer works.')
				},
			})
		} catch (error) {
			const { data: refusal, init } = refuseForm(error, form)
			return data({ link: null, refusal }, init ?? {})
		}
	})
}

export function headers({ actionHeaders }: Route.HeadersArgs) {
	return actionHeaders
}

export function meta({ matches }: Route.MetaArgs) {
	return pageMeta(matches, { title: 'Invitations', noindex: true })
}

export default function Invitations({
	loaderData: { cursor, page, lists, isAdmin },
	actionData,
}: Route.ComponentProps) {
	const more = useMore(page, (next) => withParams(invitesPath, { cursor: next }))
	const links = withoutDuplicates(more.rows, ({ id }) => id)
	// The link is shown only here, so it must survive what is done next, unless that revokes it.
	const [made, setMade] = useState(actionData?.link)
	if (actionData?.link && actionData.link.id !== made?.id) setMade(actionData.link)
	const isRevoked = links.some(({ id, state }) => id === made?.id && state === 'revoked')
	const link = isRevoked ? undefined : made?.address
	const heading = useRef<HTMLHeadingElement>(null)
	const open = links.filter(({ state }) => state === 'open').length
	useFocusFallback(open, (count, before) => count < before, heading)
	return (
		<AdminFrame title="Invitations">
			{link && <NewLink address={link} />}
			<LinkForm key={made?.id ?? 0} refusal={actionData?.refusal} />
			<section className="mt-10" aria-labelledby="links">
				<SectionHeading id="links" title="Links" place={heading} />
				{links.length === 0 ? (
					<EmptyState title="No links yet">Make one above.</EmptyState>
				) : (
					<Links links={links} isAdmin={isAdmin} />
				)}
				<ListPages firstHref={cursor === null ? null : invitesPath} more={more} />
			</section>
			{isAdmin && <Lists lists={lists.rows} isFirst={lists.isFirst} next={lists.next} />}
		</AdminFrame>
	)
}

/** The address of a link, shown once. */
function NewLink({ address }: { address: string }) {
	return (
		<section className="mt-6" aria-labelledby="made" role="status">
			<SectionHeading id="made" title="Your new link" />
			<p className="mt-2 max-w-read text-ink-2">
				Copy it now: you will not see it again. Anyone who has it can register.
			</p>
			<p className="mt-3 rounded-sm border border-line bg-sunken px-3 py-2.5 font-mono text-sm wrap-anywhere select-all">
				{address}
			</p>
		</section>
	)
}

function LinkForm({ refusal }: { refusal: FormRefusal | null | undefined }) {
	return (
		<section className="mt-6" aria-labelledby="new">
			<SectionHeading id="new" title="New link" />
			<Form method="post" className="mt-3 grid gap-4 sm:grid-cols-2" noValidate>
				{refusal && (
					<div className="sm:col-span-2">
						<FormError
							errors={refusal?.errors}
							names={{ uses: 'Number of uses', days: 'Valid for (days)', cohort: 'Cohort' }}
						>
							{refusal?.message}
						</FormError>
					</div>
				)}
				<Field
					label="Number of uses"
					name="uses"
					inputMode="numeric"
					defaultValue={refusal?.values.uses ?? '1'}
					error={refusal?.errors.uses}
				/>
				<Field
					label="Valid for (days)"
					name="days"
					inputMode="numeric"
					defaultValue={refusal?.values.days ?? '14'}
					error={refusal?.errors.days}
				/>
				<div className="sm:col-span-2">
					<Field
						label="Cohort"
						name="cohort"
						optional
						maxLength={60}
						placeholder="CSE 2027"
						defaultValue={refusal?.values.cohort}
						error={refusal?.errors.cohort}
						hint="Stored with everybody who joins by the link. Admins can filter members by it."
					/>
				</div>
				<p>
					<SubmitButton busyLabel="Saving..." name="intent" value="make">
						Make link
					</SubmitButton>
				</p>
			</Form>
		</section>
	)
}

function Links({ links, isAdmin }: { links: InviteView[]; isAdmin: boolean }) {
	return (
		<ul>
			{links.map(({ id, cohort, used, maxUses, expiresAt, by, state }) => (
				<li key={id} className="flex flex-wrap items-center gap-x-4 gap-y-2 border-b border-line py-3">
					<div className="min-w-0 flex-1 basis-60">
						<p className="font-semibold wrap-anywhere">
							{cohort || 'Without a cohort'}
							{state !== 'open' && <span className="font-normal text-ink-3">, {state}</span>}
						</p>
						<p className="meta wrap-anywhere">
							{used} of {pluralize(maxUses, 'use')}, until <LocalTime at={expiresAt} />
							{by && `, by @${by}`}
						</p>
					</div>
					{isAdmin && used > 0 && (
						<Link className="quiet-link" to={`/admin/members?invite=${id}`}>
							Who came
						</Link>
					)}
					{state === 'open' && (
						<Form method="post">
							<input type="hidden" name="id" value={id} />
							<button
								className="btn btn-sm btn-ghost"
								type="submit"
								name="intent"
								value="revoke"
								aria-label={`Revoke the link ${cohort || id}`}
							>
								Revoke
							</button>
						</Form>
					)}
				</li>
			))}
		</ul>
	)
}

interface ListsProps {
	lists: InviteListView[]
	isFirst: boolean
	/** The cursor of older lists. */
	next: string | null
}

function Lists({ lists, isFirst, next }: ListsProps) {
	return (
		<section className="mt-10" aria-labelledby="lists">
			<SectionHeading id="lists" title="Lists of addresses">
				<Link className="quiet-link" to={newListPath}>
					New list
				</Link>
			</SectionHeading>
			{lists.length === 0 && isFirst && (
				<p className="mt-3 text-ink-2">At the start of a term, upload a file of addresses to invite them all.</p>
			)}
			<ul>
				{lists.map((list) => (
					<li key={list.id} className="border-b border-line py-3">
						<Link className="quiet-link font-semibold wrap-anywhere" to={listPath(list.id)}>
							{list.cohort || `List ${list.id}`}
						</Link>
						<p className="meta">
							{progressOf(list)}, {list.state}
						</p>
					</li>
				))}
			</ul>
			{(next || !isFirst) && (
				<nav className="flex flex-wrap gap-4 py-4 text-sm" aria-label="Pages of lists">
					{!isFirst && (
						<Link className="link" to={invitesPath}>
							Newest lists
						</Link>
					)}
					{next && (
						<Link className="link" to={withParams(invitesPath, { lists: next })}>
							Older lists
						</Link>
					)}
				</nav>
			)}
		</section>
	)
}
