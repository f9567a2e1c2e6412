import { data } from 'react-router'
import { refreshSession } from '~/features/accounts/accounts.server.ts'
import { DomainError } from '~/lib/errors.ts'
import { pageMeta } from '~/lib/page-meta.ts'
import { readForm, refused } from '~/platform/http/form.server.ts'
import { redirectWithToast, signedIn } from '~/platform/http/http.ts'
import { FormError } from '~/ui/form-error.tsx'
import { Form, Link } from '~/ui/link.tsx'
import { SubmitButton } from '~/ui/submit-button.tsx'
import { confirmEmail, findChange, resendEmail } from '../emails/emails.server.ts'
import { emailSettingsPath } from '../emails/emails.view.ts'
import type { Route } from './+types/confirm-email'

/** Shows what the link would change, and changes nothing: mail scanners open links, too. For the member who asked for it alone. */
export async function loader({ context, url }: Route.LoaderArgs) {
	const viewer = signedIn(context, url)
	const token = url.searchParams.get('token') ?? ''
	try {
		return { token, change: await findChange(viewer, token), username: viewer.username, message: '' }
	} catch (error) {
		if (!(error instanceof DomainError)) throw error
		const nothing = { token, change: null, username: viewer.username, message: error.message }
		return data(nothing, { status: error.status })
	}
}

export async function action({ request, context, url }: Route.ActionArgs) {
	const viewer = signedIn(context, url)
	const form = await readForm(request)
	try {
		if (form.get('intent') === 'resend') {
			const message = `A new link is on its way to ${await resendEmail(viewer)}. It works for 10 minutes.`
			return redirectWithToast(emailSettingsPath, { type: 'success', message })
		}
		const email = await confirmEmail(viewer, String(form.get('token') ?? ''))
		const message = `${email} is confirmed. You can log in by it from now on.`
		return redirectWithToast(emailSettingsPath, { type: 'success', message }, await refreshSession(request))
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

export default function ConfirmEmail({
	loaderData: { token, change, username, message },
	actionData,
}: Route.ComponentProps) {
	if (!change)
		return (
			<div className="max-w-read pt-10">
				<h1 className="text-2xl font-bold">Not confirmed</h1>
				<p className="mt-2 text-ink-2">{message}</p>
				<p className="mt-6">
					<Link className="btn btn-outline" to={emailSettingsPath}>
						Go to my email settings
					</Link>
				</p>
			</div>
		)
	if (change.isOver)
		return (
			<div className="max-w-read pt-10">
				<h1 className="text-2xl font-bold">This link is too old</h1>
				<p className="mt-2 text-md text-ink-2">
					A link works for 10 minutes after it was sent. We can send a new one to{' '}
					<span className="wrap-anywhere">{change.email}</span>.
				</p>
				<Form method="post" className="mt-6 grid gap-4">
					<FormError>{actionData?.message}</FormError>
					<p>
						<SubmitButton className="btn btn-primary" busyLabel="Sending" name="intent" value="resend">
							Send me a new link
						</SubmitButton>
					</p>
				</Form>
			</div>
		)
	return (
		<div className="max-w-read pt-10">
			<h1 className="text-2xl font-bold text-balance wrap-anywhere">Confirm {change.email}?</h1>
			<p className="mt-2 text-md text-ink-2">
				{change.place === 'email'
					? `@${username} will then log in and get mail by this address. The one before will not work any more.`
					: `@${username} can then log in and set a new password by this address, too.`}{' '}
				Links to set a new password that were sent before stop working.
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
