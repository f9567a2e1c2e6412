import { data } from 'react-router'
import { DomainError } from '~/lib/errors.ts'
import { pageMeta } from '~/lib/page-meta.ts'
import { readForm, refused } from '~/platform/http/form.server.ts'
import { redirectWithToast } from '~/platform/http/http.ts'
import { FormError } from '~/ui/form-error.tsx'
import { Form, Link } from '~/ui/link.tsx'
import { SubmitButton } from '~/ui/submit-button.tsx'
import { findUndo, undoEmail } from '../emails/emails.server.ts'
import type { Route } from './+types/undo-email'

/** Shows what the link would undo, and changes nothing: mail scanners open links, too. It works signed out: whoever changed the address may be in. */
export async function loader({ url }: Route.LoaderArgs) {
	const token = url.searchParams.get('token') ?? ''
	try {
		return { token, undo: await findUndo(token), message: '' }
	} catch (error) {
		if (!(error instanceof DomainError)) throw error
		return data({ token, undo: null, message: error.message }, { status: error.status })
	}
}

export async function action({ request }: Route.ActionArgs) {
	const form = await readForm(request)
	try {
		const reset = await undoEmail(String(form.get('token') ?? ''))
		return redirectWithToast(`/reset-password?token=${encodeURIComponent(reset)}`, {
			type: 'success',
			message: 'The address is back, and every device is logged out. Choose a new password.',
		})
	} catch (error) {
		return refused(error, form)
	}
}

export function meta({ matches }: Route.MetaArgs) {
	return [
		...pageMeta(matches, { title: 'Undo the change', noindex: true }),
		// The address holds a token. Without any referrer a browser would call the form's origin `null`, and it be refused.
		{ name: 'referrer', content: 'same-origin' },
	]
}

export default function UndoEmail({ loaderData: { token, undo, message }, actionData }: Route.ComponentProps) {
	if (!undo)
		return (
			<div className="max-w-read pt-10">
				<h1 className="text-2xl font-bold">Nothing to undo</h1>
				<p className="mt-2 text-ink-2">{message}</p>
				<p className="mt-6">
					<Link className="btn btn-outline" to="/forgot-password">
						Set a new password
					</Link>
				</p>
			</div>
		)
	return (
		<div className="max-w-read pt-10">
			<h1 className="text-2xl font-bold text-balance wrap-anywhere">Give @{undo.username} the address back?</h1>
			<p className="mt-2 text-md text-ink-2">
				The account is then reached by <span className="wrap-anywhere">{undo.email}</span> again. Every device is logged
				out and all access tokens end, as whoever changed the address may be somebody else. You choose a new password
				next.
			</p>
			<Form method="post" className="mt-6 grid gap-4">
				<FormError>{actionData?.message}</FormError>
				<input type="hidden" name="token" value={token} />
				<p>
					<SubmitButton className="btn btn-primary" busyLabel="Undoing">
						Undo the change
					</SubmitButton>
				</p>
			</Form>
		</div>
	)
}
