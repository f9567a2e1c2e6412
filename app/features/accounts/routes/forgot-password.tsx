import { data, Form, Link } from 'react-router'
import { refused } from '~/lib/http.ts'
import { Field } from '~/ui/field.tsx'
import { FormError } from '~/ui/form-error.tsx'
import { SubmitButton } from '~/ui/submit-button.tsx'
import { requestPasswordReset } from '../accounts.server.ts'
import { AccountFrame } from '../components/account-frame.tsx'
import type { Route } from './+types/forgot-password'

export async function action({ request }: Route.ActionArgs) {
	const form = await request.formData()
	try {
		await requestPasswordReset(form, request)
		return data({ sent: true as const })
	} catch (error) {
		return refused(error, form)
	}
}

export const meta: Route.MetaFunction = () => [{ title: 'Forgot password' }, { name: 'robots', content: 'noindex' }]

export default function ForgotPassword({ actionData }: Route.ComponentProps) {
	const refusal = actionData && 'message' in actionData ? actionData : null
	return (
		<AccountFrame
			title="Forgot password"
			lead={
				<>
					Remembered it?{' '}
					<Link className="link font-semibold text-ink" to="/login">
						Login
					</Link>
				</>
			}
		>
			{actionData && 'sent' in actionData ? (
				<div className="mt-8 rounded-sm border border-ivy-line bg-ivy-wash px-4 py-3" role="status">
					<p className="font-semibold">Password reset link is sent to your email!</p>
					<p className="mt-1 text-sm text-ink-2">It works once and for 10 minutes. If no mail comes, look in the spam folder, or check the address.</p>
				</div>
			) : (
				<Form method="post" className="mt-8 grid gap-5">
					<FormError>{refusal?.message}</FormError>
					<Field label="Email" name="email" type="email" autoComplete="email" required defaultValue={refusal?.values.email} error={refusal?.errors.email} />
					<SubmitButton className="btn btn-primary btn-lg w-full" busyLabel="Sending">
						Send Email
					</SubmitButton>
				</Form>
			)}
		</AccountFrame>
	)
}
