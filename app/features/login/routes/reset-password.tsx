import { passwordLoginPath } from '~/features/accounts/login-methods.server.ts'
import { resetPassword } from '~/features/accounts/security/change-password.server.ts'
import { pageMeta } from '~/lib/page-meta.ts'
import { readForm, refuseForm } from '~/platform/http/form.server.ts'
import { redirectWithSuccess } from '~/platform/http/http.ts'
import { AccountFrame } from '~/shell/account-frame.tsx'
import { FormError } from '~/ui/form-error.tsx'
import { Form, Link } from '~/ui/link.tsx'
import { PasswordField } from '~/ui/password-field.tsx'
import { SubmitButton } from '~/ui/submit-button.tsx'
import type { Route } from './+types/reset-password'

export function loader({ url }: Route.LoaderArgs) {
	return { token: url.searchParams.get('token') ?? '' }
}

export async function action({ request }: Route.ActionArgs) {
	const form = await readForm(request)
	try {
		const { headers, hasRemoved } = await resetPassword(form, request)
		const more = hasRemoved
			? '. As your address was not confirmed before, passkeys, linked logins and the second factor of the account were removed: somebody else may have added them.'
			: ''
		return redirectWithSuccess(passwordLoginPath(), `Password updated Successfully${more}`, headers)
	} catch (error) {
		return refuseForm(error, form)
	}
}

export function meta({ matches }: Route.MetaArgs) {
	return pageMeta(matches, { title: 'New password', hasToken: true })
}

export default function ResetPassword({ loaderData, actionData }: Route.ComponentProps) {
	return (
		<AccountFrame
			title="New password"
			lead={
				<>
					Link expired?{' '}
					<Link className="link font-semibold text-ink" to="/forgot-password">
						Ask for a new one
					</Link>
				</>
			}
		>
			<Form method="post" className="mt-8 grid gap-5" noValidate>
				<FormError
					errors={actionData?.errors}
					names={{ password: 'New password', confirmPassword: 'Confirm Password' }}
				>
					{actionData?.message}
				</FormError>
				<input type="hidden" name="token" value={loaderData.token} />
				<PasswordField
					required
					label="New password"
					name="password"
					autoComplete="new-password"
					minLength={8}
					error={actionData?.errors.password}
					hint="At least 8 characters. You will be logged out everywhere."
				/>
				<PasswordField
					required
					label="Confirm Password"
					name="confirmPassword"
					autoComplete="new-password"
					error={actionData?.errors.confirmPassword}
				/>
				<SubmitButton className="btn btn-primary btn-lg w-full" busyLabel="Saving...">
					Save new password
				</SubmitButton>
			</Form>
		</AccountFrame>
	)
}
