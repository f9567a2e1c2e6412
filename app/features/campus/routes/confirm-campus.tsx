import { data, redirect } from 'react-router'
import { factsOf, viewerOf } from '~/lib/context.ts'
import { DomainError } from '~/lib/errors.ts'
import { pageMeta } from '~/lib/page-meta.ts'
import { readForm, refused } from '~/platform/http/form.server.ts'
import { redirectWithToast } from '~/platform/http/http.ts'
import { FormError } from '~/ui/form-error.tsx'
import { Form, Link } from '~/ui/link.tsx'
import { SubmitButton } from '~/ui/submit-button.tsx'
import { confirmCampus, findCampusLink, resendCampusLink } from '../campus.server.ts'
import type { Route } from './+types/confirm-campus'

/**
 * Shows what the link would confirm, and changes nothing: mail scanners open links, too. Works signed out, as the mailbox
 * may be open on another device.
 */
export async function loader({ url }: Route.LoaderArgs) {
	const token = url.searchParams.get('token') ?? ''
	const isSent = url.searchParams.has('sent')
	if (isSent) return { token: '', link: null, isSent, message: '' }
	try {
		return { token, link: await findCampusLink(token), isSent, message: '' }
	} catch (error) {
		if (!(error instanceof DomainError)) throw error
		return data({ token: '', link: null, isSent, message: error.message }, { status: error.status })
	}
}

export async function action({ request, context }: Route.ActionArgs) {
	const form = await readForm(request)
	const token = String(form.get('token') ?? '')
	try {
		if (form.get('intent') === 'resend') {
			await resendCampusLink(token, factsOf(context).ip)
			return redirect('/confirm-campus?sent')
		}
		const { username, university } = await confirmCampus(token)
		const own = viewerOf(context)?.username === username
		return redirectWithToast(own ? `/my-profile/${username}?tab=academics` : '/find-dev', {
			type: 'success',
			message: own
				? `You are a verified student of ${university}.`
				: `@${username} is a verified student of ${university}.`,
		})
	} catch (error) {
		return refused(error, form)
	}
}

/** After a refusal too: the time of the link may have run out while the page was open. */
export function shouldRevalidate(): boolean {
	return true
}

export function meta({ matches }: Route.MetaArgs) {
	return [
		...pageMeta(matches, { title: 'Confirm address', noindex: true }),
		// The address holds a token. Without any referrer a browser would call the form's origin `null`, and it be refused.
		{ name: 'referrer', content: 'same-origin' },
	]
}

export default function ConfirmCampus({
	loaderData: { token, link, isSent, message },
	actionData,
}: Route.ComponentProps) {
	if (isSent)
		return (
			<div className="max-w-read pt-10">
				<h1 className="text-2xl font-bold">Look in your mailbox</h1>
				<p className="mt-2 text-md text-ink-2">
					A new link is on its way to your university address. It works for 10 minutes.
				</p>
			</div>
		)
	if (!link && token)
		return (
			<div className="max-w-read pt-10">
				<h1 className="text-2xl font-bold">This link is too old</h1>
				<p className="mt-2 text-md text-ink-2">
					A link works for 10 minutes after it was sent. We can send a new one to the same address.
				</p>
				<Form method="post" className="mt-6 grid gap-4">
					<FormError>{actionData?.message}</FormError>
					<input type="hidden" name="token" value={token} />
					<p>
						<SubmitButton className="btn btn-primary" busyLabel="Sending" name="intent" value="resend">
							Send me a new link
						</SubmitButton>
					</p>
				</Form>
			</div>
		)
	if (!link)
		return (
			<div className="max-w-read pt-10">
				<h1 className="text-2xl font-bold">Not confirmed</h1>
				<p className="mt-2 text-ink-2">{message}</p>
				<p className="mt-6">
					<Link className="btn btn-outline" to="/verify-campus">
						Go to my academics
					</Link>
				</p>
			</div>
		)
	return (
		<div className="max-w-read pt-10">
			<h1 className="text-2xl font-bold text-balance">Confirm {link.email}?</h1>
			<p className="mt-2 text-md text-ink-2">
				The card and profile of <bdi>{link.name}</bdi> (@{link.username}) will then say “Verified student of{' '}
				<bdi>{link.university}</bdi>” for a year. Nobody sees the address itself. If this is not you, close this page.
			</p>
			<Form method="post" className="mt-6 grid gap-4">
				<FormError>{actionData?.message}</FormError>
				<input type="hidden" name="token" value={token} />
				<p>
					<SubmitButton className="btn btn-primary" busyLabel="Confirming">
						Confirm this address
					</SubmitButton>
				</p>
			</Form>
		</div>
	)
}
