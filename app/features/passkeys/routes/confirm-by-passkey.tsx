import { data, useSearchParams } from 'react-router'
import { pageMeta } from '~/lib/page-meta.ts'
import { readForm, refuseForm } from '~/platform/http/form.server.ts'
import { redirectWithToast, requireLogin, safeRedirect, withHttpErrors } from '~/platform/http/http.ts'
import { AccountFrame } from '~/shell/account-frame.tsx'
import { FormError } from '~/ui/form-error.tsx'
import { Form, Link } from '~/ui/link.tsx'
import { SubmitButton } from '~/ui/submit-button.tsx'
import { PasskeyPrompt } from '../components/passkey-prompt.tsx'
import { beginConfirming, confirmByPasskey } from '../passkeys.server.ts'
import { confirmByPasskeyPath } from '../passkeys.view.ts'
import type { Route } from './+types/confirm-by-passkey'

export function loader({ context, url }: Route.LoaderArgs) {
	return withHttpErrors(async () => {
		requireLogin(context, url)
		return null
	})
}

/** Issues a challenge, or verifies the signed one and confirms the session. */
export async function action({ request, context, url }: Route.ActionArgs) {
	const viewer = requireLogin(context, url)
	const form = await readForm(request)
	try {
		if (!form.has('response'))
			return data({ options: await beginConfirming(viewer) }, { headers: { 'Cache-Control': 'no-store' } })
		await confirmByPasskey(viewer, form, request)
	} catch (error) {
		return refuseForm(error, form)
	}
	const to = safeRedirect(url.searchParams.get('redirectTo'), '/settings')
	return redirectWithToast(to, { type: 'plain', message: 'Confirmed. Continue where you were.' })
}

export function headers({ actionHeaders }: Route.HeadersArgs) {
	return actionHeaders
}

export function meta({ matches }: Route.MetaArgs) {
	return pageMeta(matches, { title: 'Confirm by a passkey', noindex: true })
}

export default function ConfirmByPasskey({ actionData }: Route.ComponentProps) {
	const [search] = useSearchParams()
	const redirectTo = search.get('redirectTo')
	const query = redirectTo ? `?redirectTo=${encodeURIComponent(redirectTo)}` : ''
	const here = confirmByPasskeyPath + query
	return (
		<AccountFrame
			title="Confirm by a passkey"
			lead={
				<Link className="link" to={`/confirm-identity${query}`}>
					Other ways to confirm it
				</Link>
			}
		>
			<div className="mt-6">
				<FormError>{actionData && 'errors' in actionData ? actionData.message : undefined}</FormError>
			</div>
			{actionData && 'options' in actionData && (
				<PasskeyPrompt asked={{ kind: 'sign', options: actionData.options }} action={here} fields={{}} />
			)}
			<Form method="post" action={here} className="mt-6">
				<SubmitButton className="btn btn-outline btn-lg w-full" busyLabel="Asking...">
					Use a passkey
				</SubmitButton>
			</Form>
		</AccountFrame>
	)
}
