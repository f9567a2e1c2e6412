import { data, redirect, useSearchParams } from 'react-router'
import { factsOf, viewerOf } from '~/lib/context.ts'
import { pageMeta } from '~/lib/page-meta.ts'
import { readForm, refuseForm } from '~/platform/http/form.server.ts'
import { redirectWithToast, safeRedirect } from '~/platform/http/http.ts'
import { AccountFrame } from '~/shell/account-frame.tsx'
import { FormError } from '~/ui/form-error.tsx'
import { Form, Link } from '~/ui/link.tsx'
import { SubmitButton } from '~/ui/submit-button.tsx'
import { PasskeyPrompt } from '../components/passkey-prompt.tsx'
import { beginLogin, logInByPasskey } from '../passkeys.server.ts'
import type { Route } from './+types/passkey-login'

/** Issues a challenge, or verifies the signed one and logs in. */
export async function action({ request, context }: Route.ActionArgs) {
	const form = await readForm(request)
	const redirectTo = safeRedirect(form.get('redirectTo'), '/find-dev')
	const caller = { viewer: viewerOf(context), ip: factsOf(context).ip }
	try {
		if (!form.has('response'))
			return data(
				{ options: await beginLogin(caller.viewer, caller.ip), redirectTo },
				{ headers: { 'Cache-Control': 'no-store' } },
			)
		const { headers, isLeaving } = await logInByPasskey(form, request, caller)
		// A member who asked for deletion can first choose to keep the account.
		if (isLeaving) return redirect('/settings/leave', { status: 303, headers })
		return redirectWithToast(redirectTo, { type: 'plain', message: 'Welcome back!' }, headers)
	} catch (error) {
		return refuseForm(error, form)
	}
}

export function headers({ actionHeaders }: Route.HeadersArgs) {
	return actionHeaders
}

export function meta({ matches }: Route.MetaArgs) {
	return pageMeta(matches, { title: 'Log in with a passkey', noindex: true })
}

export default function PasskeyLogin({ actionData }: Route.ComponentProps) {
	const [search] = useSearchParams()
	const asked = actionData && 'options' in actionData ? actionData : null
	const refusal = actionData && 'errors' in actionData ? actionData : null
	const redirectTo = asked?.redirectTo ?? refusal?.values.redirectTo ?? search.get('redirectTo') ?? ''
	return (
		<AccountFrame
			title="Log in with a passkey"
			lead={
				<Link className="link" to={`/login${redirectTo ? `?redirectTo=${encodeURIComponent(redirectTo)}` : ''}`}>
					Back to the login
				</Link>
			}
		>
			<div className="mt-6">
				<FormError>{refusal?.message}</FormError>
			</div>
			{asked && (
				<PasskeyPrompt
					asked={{ kind: 'sign', options: asked.options }}
					action="/login/passkey"
					fields={{ redirectTo }}
				/>
			)}
			<Form method="post" action="/login/passkey" className="mt-6">
				<input type="hidden" name="redirectTo" value={redirectTo} />
				<SubmitButton className="btn btn-outline btn-lg w-full" busyLabel="Asking...">
					Use a passkey
				</SubmitButton>
			</Form>
		</AccountFrame>
	)
}
