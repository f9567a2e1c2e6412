import { type ReactNode, useRef } from 'react'
import { requireConfirmed } from '~/features/accounts/security/confirmation.server.ts'
import { profilePath, withParams } from '~/lib/addresses.ts'
import { pageMeta } from '~/lib/page-meta.ts'
import { requireAdmin } from '~/lib/viewer.ts'
import { chooseIntent, readForm, readText, refuseForm } from '~/platform/http/form.server.ts'
import { redirectWithSuccess, requireLogin, withHttpErrors } from '~/platform/http/http.ts'
import { Avatar } from '~/ui/avatar.tsx'
import { FormError } from '~/ui/form-error.tsx'
import { Form, Link } from '~/ui/link.tsx'
import { LocalTime } from '~/ui/local-time.tsx'
import { ListPages } from '~/ui/more-link.tsx'
import { SectionHeading } from '~/ui/section-heading.tsx'
import { SubmitButton } from '~/ui/submit-button.tsx'
import { useFocusFallback } from '~/ui/use-focus-kept.ts'
import { useMore, withoutDuplicates } from '~/ui/use-more.ts'
import { ModerationFrame } from '../components/moderation-frame.tsx'
import { listModeratedMembers, requirePageModerator, setModeratorRole } from '../members.server.ts'
import type { ModeratedMemberView, SuspendedView } from '../moderation.view.ts'
import type { Route } from './+types/members'

const here = '/moderation/members'

export function loader({ request, context, url }: Route.LoaderArgs) {
	return withHttpErrors(async () => {
		const viewer = await requirePageModerator({ request, context, url })
		const cursor = url.searchParams.get('cursor') || null
		return { isAdmin: viewer.role === 'admin', cursor, ...(await listModeratedMembers(viewer, cursor)) }
	})
}

export async function action({ request, context, url }: Route.ActionArgs) {
	const viewer = requireLogin(context, url)
	const form = await readForm(request)
	const set = async (role: 'moderator' | 'member', message: string) => {
		await requireConfirmed(requireAdmin(viewer), request)
		await setModeratorRole(viewer, readText(form, 'username'), role)
		return redirectWithSuccess(here, message)
	}
	try {
		return await chooseIntent(form.get('intent'), {
			appoint: () => set('moderator', 'They are now a moderator.'),
			dismiss: () => set('member', 'They are now an ordinary member.'),
		})
	} catch (error) {
		return refuseForm(error, form)
	}
}

export function meta({ matches }: Route.MetaArgs) {
	return pageMeta(matches, { title: 'Moderators and suspended members', noindex: true })
}

export default function ModerationMembers({ loaderData, actionData }: Route.ComponentProps) {
	const { isAdmin, staff, page, cursor } = loaderData
	const more = useMore(page, (next) => withParams(here, { cursor: next }))
	const suspended = withoutDuplicates(more.rows, ({ username }) => username)
	const heading = useRef<HTMLHeadingElement>(null)
	useFocusFallback(staff.length, (count, before) => count < before, heading)
	return (
		<ModerationFrame title="Members">
			<section className="mt-8" aria-labelledby="staff">
				<SectionHeading id="staff" title="Moderators and admins" place={heading} />
				<FormError>{actionData?.message}</FormError>
				<ul>
					{staff.map((member) => (
						<Row key={member.username} member={member} note={member.role}>
							{member.maySetRole && (
								<Form method="post">
									<input type="hidden" name="username" value={member.username} />
									<button className="btn btn-sm btn-outline" name="intent" value="dismiss" type="submit">
										Make a member<span className="sr-only"> ({member.name})</span>
									</button>
								</Form>
							)}
						</Row>
					))}
				</ul>
				{isAdmin && <AppointForm username={actionData?.values.username ?? ''} />}
			</section>
			<section className="mt-10" aria-labelledby="suspended">
				<SectionHeading id="suspended" title="Suspended" />
				{suspended.length === 0 && <p className="py-3 text-ink-3">Nobody is suspended.</p>}
				<ul>
					{suspended.map((member) => (
						<Row key={member.username} member={member} note={<Until member={member} />}>
							{member.mayLift && <LiftForm member={member} />}
						</Row>
					))}
				</ul>
				<ListPages firstHref={cursor === null ? null : here} more={more} />
			</section>
		</ModerationFrame>
	)
}

interface RowProps {
	member: ModeratedMemberView
	note: ReactNode
	children: ReactNode
}

function Row({ member, note, children }: RowProps) {
	return (
		<li className="flex items-center gap-3 border-b border-line py-3">
			<Avatar user={member} size={32} />
			<div className="min-w-0 flex-1">
				<Link className="quiet-link block truncate font-semibold" to={profilePath(member.username)}>
					{member.name}
				</Link>
				<p className="meta wrap-anywhere">
					@{member.username}, {note}
				</p>
			</div>
			{children}
		</li>
	)
}

function Until({ member: { until, reason } }: { member: SuspendedView }) {
	return (
		<>
			{until === 'infinity' ? (
				'for ever'
			) : (
				<>
					until <LocalTime at={until} />
				</>
			)}
			{reason && `: ${reason}`}
		</>
	)
}

/** Posts to the page of the profile's case, where a reason can be given as well. */
function LiftForm({ member }: { member: SuspendedView }) {
	const href = `/moderation/profile/${member.username}`
	return (
		<Form method="post" action={href}>
			<button className="btn btn-sm btn-outline" name="intent" value="lift" type="submit">
				Lift<span className="sr-only"> the suspension of {member.name}</span>
			</button>
		</Form>
	)
}

function AppointForm({ username }: { username: string }) {
	return (
		<Form method="post" className="mt-4 flex max-w-[30rem] gap-2" replace>
			<label className="sr-only" htmlFor="username">
				Username
			</label>
			<input
				className="input min-w-0 flex-1"
				id="username"
				name="username"
				required
				placeholder="Username"
				defaultValue={username}
			/>
			<SubmitButton busyLabel="Saving..." name="intent" value="appoint" className="btn btn-outline">
				Make a moderator
			</SubmitButton>
		</Form>
	)
}
