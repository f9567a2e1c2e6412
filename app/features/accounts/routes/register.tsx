import { redirect, useSearchParams } from 'react-router'
import { viewerOf } from '~/lib/context.ts'
import { pageMeta } from '~/lib/page-meta.ts'
import { readForm, refused } from '~/platform/http/form.server.ts'
import { redirectWithToast } from '~/platform/http/http.ts'
import { Field } from '~/ui/field.tsx'
import { FormError } from '~/ui/form-error.tsx'
import { useRefusalToast } from '~/ui/form-kit.ts'
import { Form, Link } from '~/ui/link.tsx'
import { PasswordField } from '~/ui/password-field.tsx'
import { SubmitButton } from '~/ui/submit-button.tsx'
import { registerMember } from '../accounts.server.ts'
import { AccountFrame } from '../components/account-frame.tsx'
import type { Route } from './+types/register'

export function loader({ context }: Route.LoaderArgs) {
	if (viewerOf(context)) throw redirect('/')
	return null
}

const names = { name: 'Full Name', email: 'Email', password: 'Password', confirmPassword: 'Confirm Password' }

const registered = 'User registered successfully! Login to continue.'

export async function action({ request, url }: Route.ActionArgs) {
	const form = await readForm(request)
	try {
		const { email, confirm, headers } = await registerMember(form, request)
		const search = new URLSearchParams({ email })
		const redirectTo = url.searchParams.get('redirectTo')
		if (redirectTo) search.set('redirectTo', redirectTo)
		const message = confirm ? `${registered} We have emailed you a link to confirm your address.` : registered
		return redirectWithToast(`/login?${search}`, { type: 'success', message }, headers)
	} catch (error) {
		return refused(error, form)
	}
}

export function meta({ matches }: Route.MetaArgs) {
	return pageMeta(matches, { title: 'Register', noindex: true })
}

export default function Register({ actionData }: Route.ComponentProps) {
	useRefusalToast(actionData)
	const { values = {}, errors = {}, message } = actionData ?? {}
	const [search] = useSearchParams()
	const redirectTo = search.get('redirectTo')
	const query = redirectTo ? `?redirectTo=${encodeURIComponent(redirectTo)}` : ''
	return (
		<AccountFrame
			title="Register"
			lead={
				<>
					Have an account?{' '}
					<Link className="link font-semibold text-ink" to={`/login${query}`}>
						Login
					</Link>
				</>
			}
		>
			{/* The rules are said in our own words, all at once, by the server. */}
			<Form method="post" action={`/register${query}`} className="mt-8 grid gap-5" noValidate>
				<FormError errors={errors} names={names}>
					{message}
				</FormError>
				<Field
					label="Full Name"
					name="name"
					autoComplete="name"
					required
					maxLength={100}
					defaultValue={values.name}
					error={errors.name}
				/>
				<Field
					label="Email"
					name="email"
					type="email"
					autoComplete="email"
					required
					defaultValue={values.email}
					error={errors.email}
					hint="Your username will be the part before the @."
				/>
				<PasswordField
					required
					label="Password"
					name="password"
					autoComplete="new-password"
					minLength={8}
					error={errors.password}
					hint="At least 8 characters. A whole sentence works well."
				/>
				<PasswordField
					required
					label="Confirm Password"
					name="confirmPassword"
					autoComplete="new-password"
					error={errors.confirmPassword}
				/>
				<SubmitButton className="btn btn-primary btn-lg w-full" busyLabel="Registering">
					Register
				</SubmitButton>
			</Form>
		</AccountFrame>
	)
}
