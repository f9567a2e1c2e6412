import { useSearchParams } from 'react-router'
import { confirmByPasskeyPath } from '~/features/passkeys/passkeys.view.ts'
import { pageMeta } from '~/lib/page-meta.ts'
import { readForm, refuseForm } from '~/platform/http/form.server.ts'
import { redirectWithToast, requireLogin, safeRedirect, withHttpErrors } from '~/platform/http/http.ts'
import { AccountFrame } from '~/shell/account-frame.tsx'
import { FormError } from '~/ui/form-error.tsx'
import { useRefusalToast } from '~/ui/form-kit.ts'
import { Form } from '~/ui/link.tsx'
import { PasswordField } from '~/ui/password-field.tsx'
import { SubmitButton } from '~/ui/submit-button.tsx'
import { CodeForm } from '../components/code-form.tsx'
import { confirmIdentity, listConfirmationMethods } from '../confirming.server.ts'
import type { Route } from './+types/confirm-identity'

const backOf = (url: URL) => safeRedirect(url.searchParams.get('redirectTo'), '/settings')

export function loader({ context, url }: Route.LoaderArgs) {
	return withHttpErrors(async () => ({ ways: await listConfirmationMethods(requireLogin(context, url)) }))
}

export async function action({ request, context, url }: Route.ActionArgs) {
	const viewer = requireLogin(context, url)
	const form = await readForm(request)
	try {
		await confirmIdentity(viewer, form, request)
	} catch (error) {
		return refuseForm(error, form)
	}
	return redirectWithToast(backOf(url), { type: 'plain', message: 'Confirmed. Continue where you were.' })
}

export function meta({ matches }: Route.MetaArgs) {
	return pageMeta(matches, { title: 'Confirm that it is you', noindex: true })
}

export default function ConfirmIdentity({ loaderData: { ways }, actionData }: Route.ComponentProps) {
	useRefusalToast(actionData)
	const [search] = useSearchParams()
	const password = actionData?.errors.code ? null : actionData
	const redirectTo = search.get('redirectTo')
	const query = redirectTo ? `?redirectTo=${encodeURIComponent(redirectTo)}` : ''
	const here = `/confirm-identity${query}`
	return (
		<AccountFrame
			title="Confirm that it is you"
			lead="What you are about to do affects the security of an account. The confirmation lasts for ten minutes."
		>
			{ways.password && (
				// This form is not saved as a draft, so that the draft of the form before it survives.
				<Form method="post" action={here} className="mt-8 grid gap-5" data-keeps-draft>
					<FormError errors={password?.errors} names={{ password: 'Password' }}>
						{password?.message}
					</FormError>
					<PasswordField
						required
						label="Password"
						name="password"
						autoComplete="current-password"
						error={password?.errors.password}
					/>
					<SubmitButton className="btn btn-primary btn-lg w-full" busyLabel="Checking...">
						Confirm
					</SubmitButton>
				</Form>
			)}
			{ways.code && (
				<CodeForm
					action={here}
					refusal={actionData?.errors.code ? actionData : null}
					label="Confirm by code"
					hint="A code from your authenticator app, or a recovery code."
				/>
			)}
			{ways.passkey && (
				<Form method="post" action={confirmByPasskeyPath + query} className="mt-6">
					<button className="btn btn-outline btn-lg w-full" type="submit">
						Confirm with a passkey
					</button>
				</Form>
			)}
			<form method="post" action="/logout" className="mt-6">
				<input type="hidden" name="redirectTo" value={redirectTo ?? ''} />
				<p className="text-ink-2">
					{ways.password ? 'You can also ' : 'Your account has no password: '}
					<button className="link" type="submit">
						log out
					</button>{' '}
					and log in again, which also confirms it.
				</p>
			</form>
		</AccountFrame>
	)
}
