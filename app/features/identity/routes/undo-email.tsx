import { data, redirect } from 'react-router'
import { pageMeta } from '~/lib/page-meta.ts'
import { readForm, readText, refuseForm } from '~/platform/http/form.server.ts'
import { findByToken } from '~/platform/http/http.ts'
import { TokenExitLink, TokenForm, TokenPage } from '~/ui/token-page.tsx'
import { findUndo, undoEmailChange } from '../emails/emails.server.ts'
import type { Route } from './+types/undo-email'

/** Shows what the link would undo. Works without a login, as a thief may have locked the owner out. */
export async function loader({ url }: Route.LoaderArgs) {
	const token = url.searchParams.get('token') ?? ''
	const isDone = url.searchParams.has('done')
	if (isDone) return { token: '', undo: null, isDone, message: '' }
	const { found, message, status } = await findByToken(() => findUndo(token))
	return data({ token, undo: found, isDone, message }, { status })
}

export async function action({ request }: Route.ActionArgs) {
	const form = await readForm(request)
	try {
		await undoEmailChange(readText(form, 'token'))
		return redirect('/undo-email?done')
	} catch (error) {
		return refuseForm(error, form)
	}
}

export function meta({ matches }: Route.MetaArgs) {
	return pageMeta(matches, { title: 'Undo the change', hasToken: true })
}

export default function UndoEmail({ loaderData: { token, undo, isDone, message }, actionData }: Route.ComponentProps) {
	if (isDone)
		return (
			<TokenPage
				title="The change is undone"
				lead="The account has its previous address again, and every device is logged out. A link to set a new password is on its way to that address. It works for 10 minutes."
			>
				<TokenExitLink to="/forgot-password">Get another link</TokenExitLink>
			</TokenPage>
		)
	if (!undo)
		return (
			<TokenPage title="Nothing to undo" lead={message}>
				<TokenExitLink to="/forgot-password">Set a new password</TokenExitLink>
			</TokenPage>
		)
	return (
		<TokenPage
			title={`Give @${undo.username} the address back?`}
			lead={
				<>
					The account is then reached by <span className="wrap-anywhere">{undo.email}</span> again. Every device is
					logged out and all access tokens end, as somebody else may have changed the address. We then mail you a link
					to set a new password.
				</>
			}
		>
			<TokenForm token={token} message={actionData?.message} label="Undo the change" busyLabel="Undoing..." />
		</TokenPage>
	)
}
