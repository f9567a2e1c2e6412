import { requireConfirmed } from '~/features/accounts/security/confirmation.server.ts'
import { pageMeta } from '~/lib/page-meta.ts'
import { requireAdmin } from '~/lib/viewer.ts'
import { readForm, refuseForm } from '~/platform/http/form.server.ts'
import { redirectWithSuccess, requireLogin, safeRedirect, withHttpErrors } from '~/platform/http/http.ts'
import { Form, Link } from '~/ui/link.tsx'
import { Prose } from '~/ui/prose.tsx'
import { SectionHeading } from '~/ui/section-heading.tsx'
import { SubmitButton } from '~/ui/submit-button.tsx'
import { ActForms, DetachedActError } from '../components/act-forms.tsx'
import { CaseHead, Reports } from '../components/case-card.tsx'
import { CaseAssignee, CaseNotes } from '../components/case-handling.tsx'
import { ModerationFrame } from '../components/moderation-frame.tsx'
import { decideCase } from '../decisions.server.ts'
import { addNote, assignCase, visitQueue } from '../handling/handling.server.ts'
import { logOutMember, requirePageModerator } from '../members.server.ts'
import { MEMBER_SUBJECT, mayLogOut } from '../moderation.policy.ts'
import type { ModeratedMemberView } from '../moderation.view.ts'
import { getCase } from '../queue.server.ts'
import type { Route } from './+types/case'

export function loader({ request, params, context, url }: Route.LoaderArgs) {
	return withHttpErrors(async () => {
		const viewer = await requirePageModerator({ request, context, url })
		const entry = await getCase(viewer, { kind: params.kind, name: params.id })
		await visitQueue(viewer, entry.caseId)
		return { entry, mayLogOut: entry.kind === MEMBER_SUBJECT && mayLogOut(viewer, entry) }
	})
}

/** Errors of an action are shown at its form, with the reason that was typed; viewers without permission get an error page. */
export async function action({ request, params, context, url }: Route.ActionArgs) {
	const viewer = requireLogin(context, url)
	const form = await readForm(request)
	try {
		const { intent = '', ...input } = Object.fromEntries(form)
		if (intent === 'log-out' && params.kind === MEMBER_SUBJECT) {
			await requireConfirmed(requireAdmin(viewer), request)
			await logOutMember(viewer, params.id)
			return redirectWithSuccess(url.pathname, 'Logged out everywhere.')
		}
		const name = { kind: params.kind, name: params.id }
		if (intent === 'note') {
			await addNote(viewer, name, input)
			return redirectWithSuccess(`${url.pathname}#notes`, 'Noted.')
		}
		if (intent === 'assign' || intent === 'take') {
			const assignee = intent === 'take' ? viewer.username : input.assignee
			const message = await assignCase(viewer, name, { ...input, assignee })
			return redirectWithSuccess(safeRedirect(input.next, url.pathname), message)
		}
		const message = await decideCase(viewer, { ...name, act: String(intent) }, input)
		// A moderator who unmasked somebody wants to see who it is.
		const to = intent === 'unmask' ? url.pathname : safeRedirect(input.back, '/moderation')
		return redirectWithSuccess(to, message)
	} catch (error) {
		return refuseForm(error, form)
	}
}

export function meta({ matches, loaderData }: Route.MetaArgs) {
	return pageMeta(matches, { title: loaderData?.entry.title ?? 'Moderation', noindex: true })
}

export default function ModerationCase({ loaderData: { entry, mayLogOut }, actionData }: Route.ComponentProps) {
	return (
		<ModerationFrame title={entry.prefix + entry.title}>
			<DetachedActError
				entry={entry}
				refusal={actionData ?? null}
				others={entry.isOpen ? ['note', 'assign', 'take'] : ['note']}
			/>
			<div className="mt-5">
				<CaseHead entry={entry} />
				{entry.unmasked && <Unmasked member={entry.unmasked} />}
			</div>
			{entry.html && (
				<div className="mt-3 border-l-2 border-line-2 pl-4">
					<Prose html={entry.html} small />
				</div>
			)}
			{entry.statusReason && <p className="mt-3 text-sm text-ink-2">Reason: {entry.statusReason}</p>}
			<p className="mt-3 text-sm">
				<Link className="link" to={entry.url}>
					View in context
				</Link>
			</p>
			<Reports entry={entry} />
			<CaseAssignee entry={entry} refusal={actionData ?? null} />
			<CaseNotes entry={entry} refusal={actionData ?? null} />
			<ActForms entry={entry} refusal={actionData ?? null} />
			{entry.kind === MEMBER_SUBJECT && entry.acts.includes('clean') && (
				<TakedownLink username={entry.author.username} />
			)}
			{mayLogOut && <LogOutForm name={entry.author.name} />}
		</ModerationFrame>
	)
}

/** The member whom this moderator unmasked, with a link to their own case. */
function Unmasked({ member: { username, name } }: { member: ModeratedMemberView }) {
	return (
		<p className="mt-3 max-w-[36rem] rounded-sm border border-line-2 bg-sunken px-4 py-3 text-sm wrap-anywhere text-ink-2">
			You unmasked the author:{' '}
			<Link className="link" to={`/moderation/${MEMBER_SUBJECT}/${username}`}>
				<bdi>{name}</bdi>
			</Link>{' '}
			(@{username}). Nobody else sees this here. A suspension is decided on that page.
		</p>
	)
}

/** Links to the page that hides all posts of an account at once. */
function TakedownLink({ username }: { username: string }) {
	return (
		<section className="mt-8 max-w-[36rem]" aria-labelledby="everything">
			<SectionHeading id="everything" title="Everything of this account" />
			<p className="my-3 text-sm text-ink-2">
				Hides everything it has published, or its recent posts, in one step that can be undone.
			</p>
			<Link className="btn btn-outline" to={`/moderation/account/${username}`}>
				Show its posts
			</Link>
		</section>
	)
}

/** For an account that may have been taken over. */
function LogOutForm({ name }: { name: string }) {
	return (
		<section className="mt-8 max-w-[36rem]" aria-labelledby="sessions">
			<SectionHeading id="sessions" title="Sessions" />
			<Form method="post" className="mt-3">
				<p className="mb-3 text-sm text-ink-2">
					{`Ends every session and access token of ${name}. They can log in again.`}
				</p>
				<SubmitButton className="btn btn-outline" name="intent" value="log-out">
					Log out everywhere
				</SubmitButton>
			</Form>
		</section>
	)
}
