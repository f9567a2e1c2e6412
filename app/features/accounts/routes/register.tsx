import { Form, Link, redirect } from 'react-router'
import { viewerOf } from '~/lib/context.ts'
import { redirectWithToast, refused } from '~/lib/http.ts'
import { Field } from '~/ui/field.tsx'
import { FormError } from '~/ui/form-error.tsx'
import { SubmitButton } from '~/ui/submit-button.tsx'
import { registerMember } from '../accounts.server.ts'
import { AccountFrame } from '../components/account-frame.tsx'
import { PasswordField } from '~/ui/password-field.tsx'
import type { Route } from './+types/register'

export function loader({ context }: Route.LoaderArgs) {
	if (viewerOf(context)) throw redirect('/')
	return null
}

export async function action({ request, url }: Route.ActionArgs) {
	const form = await request.formData()
	try {
		const { email } = await registerMember(form, request)
		const search = new URLSearchParams({ email })
		const redirectTo = url.searchParams.get('redirectTo')
		if (redirectTo) search.set('redirectTo', redirectTo)
		return redirectWithToast(`/login?${search}`, { type: 'success', message: 'User registered successfully! Login to continue.' })
	} catch (error) {
		return refused(error, form)
	}
}

export const meta: Route.MetaFunction = () => [{ title: 'Register' }, { name: 'robots', content: 'noindex' }]

export default function Register({ actionData }: Route.ComponentProps) {
	const { values = {}, errors = {}, message } = actionData ?? {}
	return (
		<AccountFrame
			title="Register"
			lead={
				<>
					Have an account?{' '}
					<Link className="link font-semibold text-ink" to="/login">
						Login
					</Link>
				</>
			}
		>
			<Form method="post" className="mt-8 grid gap-5">
				<FormError>{message}</FormError>
				<Field label="Full Name" name="name" autoComplete="name" required maxLength={100} defaultValue={values.name} error={errors.name} />
				<Field
					label="Email"
					name="email"
					type="email"
					autoComplete="email"
					required
					defaultValue={values.email}
					error={errors.email}
					hint="Your username is the part before the at-sign."
				/>
				<PasswordField required label="Password" name="password" autoComplete="new-password" minLength={8} error={errors.password} hint="At least 8 characters. A sentence is a good one." />
				<PasswordField required label="Confirm Password" name="confirmPassword" autoComplete="new-password" error={errors.confirmPassword} />
				<SubmitButton className="btn btn-primary btn-lg w-full" busyLabel="Registering">
					Register
				</SubmitButton>
			</Form>
		</AccountFrame>
	)
}
