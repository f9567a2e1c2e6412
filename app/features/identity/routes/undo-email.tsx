import { data, redirect } from 'react-router'
import { DomainError } from '~/lib/errors.ts'
import { pageMeta } from '~/lib/page-meta.ts'
import { readForm, refused } from '~/platform/http/form.server.ts'
import { FormError } from '~/ui/form-error.tsx'
import { Form, Link } from '~/ui/link.tsx'
import { SubmitButton } from '~/ui/submit-button.tsx'
import { findUndo, undoEmail } from '../emails/emails.server.ts'
import type { Route } from './+types/undo-email'

/** Shows what the link would undo, and changes nothing: mail scanners open links, too. It works signed out: whoever changed the address may be in. */
export async function loader({ url }: Route.LoaderArgs) {
	const token = url.searchParams.get('token') ?? ''
	const isDone = url.searchParams.has('done')
	if (isDone) return { token: '', undo: null, isDone, message: '' }
	try {
		return { token, undo: await findUndo(token), isDone, message: '' }
	} catch (error) {
		if (!(error instanceof DomainError)) throw error
		return data({ token, undo: null, isDone, message: error.message }, { status: error.status })
	}
}

export async function action({ request }: Route.ActionArgs) {
	const form = await readForm(request)
	try {
		await undoEmail(String(form.get('token') ?? ''))
		return redirect('/undo-email?done')
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

export default function UndoEmail({ loaderData: { token, undo, isDone, message }, actionData }: Route.ComponentProps) {
	if (isDone)
		return (
			<div className="max-w-read pt-10">
				<h1 className="text-2xl font-bold">The change is undone</h1>
				<p className="mt-2 text-md text-ink-2">
					The account is reached by the address that it had before, and every device is logged out. A link to set a new
					password is on its way to that address. It works for 10 minutes.
				</p>
				<p className="mt-6">
					<Link className="btn btn-outline" to="/forgot-password">
						Get another link
					</Link>
				</p>
			</div>
		)
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
				out and all access tokens end, as whoever changed the address may be somebody else. We then mail you a link to
				set a new password.
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
