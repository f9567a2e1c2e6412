import { data } from 'react-router'
import { DomainError } from '~/lib/errors.ts'
import { pageMeta } from '~/lib/page-meta.ts'
import { readForm, refused } from '~/platform/http/form.server.ts'
import { redirectWithToast, signedIn } from '~/platform/http/http.ts'
import { FormError } from '~/ui/form-error.tsx'
import { Form, Link } from '~/ui/link.tsx'
import { SubmitButton } from '~/ui/submit-button.tsx'
import { refreshSession } from '../accounts.server.ts'
import { claimAdmin, requireAdminClaim } from '../registration/admin.server.ts'
import type { Route } from './+types/claim-admin'

/** Only asks: the button makes the viewer admin. */
export async function loader({ context, url }: Route.LoaderArgs) {
	const { name, username } = signedIn(context, url)
	const token = url.searchParams.get('token') ?? ''
	try {
		await requireAdminClaim(token)
		return { token, name, username, message: '' }
	} catch (error) {
		if (!(error instanceof DomainError)) throw error
		return data({ token: '', name, username, message: error.message }, { status: error.status })
	}
}

export async function action({ request, context, url }: Route.ActionArgs) {
	const viewer = signedIn(context, url)
	const form = await readForm(request)
	try {
		await claimAdmin(viewer, String(form.get('token') ?? ''))
		const message = 'You are now the admin of this site.'
		return redirectWithToast('/moderation', { type: 'success', message }, await refreshSession(request))
	} catch (error) {
		return refused(error, form)
	}
}

export function meta({ matches }: Route.MetaArgs) {
	return [
		...pageMeta(matches, { title: 'Become admin', noindex: true }),
		// The address holds a token. Without any referrer a browser would call the form's origin `null`, and it be refused.
		{ name: 'referrer', content: 'same-origin' },
	]
}

export default function ClaimAdmin({ loaderData, actionData }: Route.ComponentProps) {
	const { token, name, username, message } = loaderData
	if (!token)
		return (
			<div className="max-w-read pt-10">
				<h1 className="text-2xl font-bold">This link no longer works</h1>
				<p className="mt-2 text-ink-2">{message}</p>
				<p className="mt-6">
					<Link className="btn btn-outline" to="/">
						Go home
					</Link>
				</p>
			</div>
		)
	return (
		<div className="max-w-read pt-10">
			<h1 className="text-2xl font-bold text-balance">Become the admin of this site?</h1>
			<p className="mt-2 text-md text-ink-2">
				{name} (@{username}) can then appoint moderators, decide cases and read the log. The link works once.
			</p>
			<Form method="post" className="mt-6 grid gap-4">
				<FormError>{actionData?.message}</FormError>
				<input type="hidden" name="token" value={token} />
				<p>
					<SubmitButton className="btn btn-primary" busyLabel="Saving...">
						Become admin
					</SubmitButton>
				</p>
			</Form>
		</div>
	)
}
