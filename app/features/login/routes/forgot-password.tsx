import { ArrowLeft } from 'lucide'
import { passwordLoginPath } from '~/features/accounts/login-methods.server.ts'
import { requestPasswordReset } from '~/features/accounts/security/change-password.server.ts'
import { pageMeta } from '~/lib/page-meta.ts'
import { readForm, refuseForm } from '~/platform/http/form.server.ts'
import { redirectWithSuccess } from '~/platform/http/http.ts'
import { AccountFrame } from '~/shell/account-frame.tsx'
import { Field } from '~/ui/field.tsx'
import { FormError } from '~/ui/form-error.tsx'
import { useRefusalToast } from '~/ui/form-kit.ts'
import { Icon } from '~/ui/icon.tsx'
import { Form, Link } from '~/ui/link.tsx'
import { SubmitButton } from '~/ui/submit-button.tsx'
import type { Route } from './+types/forgot-password'

export function loader({ url }: Route.LoaderArgs) {
	return { sent: url.searchParams.has('sent'), loginPath: passwordLoginPath() }
}

export async function action({ request }: Route.ActionArgs) {
	const form = await readForm(request)
	try {
		await requestPasswordReset(form, request)
	} catch (error) {
		return refuseForm(error, form)
	}
	return redirectWithSuccess('/forgot-password?sent', 'Password reset link is sent to your email!')
}

export function meta({ matches }: Route.MetaArgs) {
	return pageMeta(matches, { title: 'Forgot password', noindex: true })
}

export default function ForgotPassword({ loaderData: { sent, loginPath }, actionData }: Route.ComponentProps) {
	useRefusalToast(actionData)
	return (
		<AccountFrame
			title="Forgot password"
			lead={
				sent ? null : 'Enter the email address you registered with. We will send you a link that works for 10 minutes.'
			}
			back={
				<Link className="btn btn-sm btn-ghost mb-4 -ml-2.5" to={loginPath}>
					<Icon of={ArrowLeft} /> Back to login
				</Link>
			}
		>
			{sent && !actionData ? (
				<Sent />
			) : (
				<Ask values={actionData?.values} errors={actionData?.errors} message={actionData?.message} />
			)}
		</AccountFrame>
	)
}

interface AskProps {
	message: string | undefined
	values: Record<string, string> | undefined
	errors: Record<string, string> | undefined
}

function Ask({ message, values, errors }: AskProps) {
	return (
		<Form method="post" className="mt-8 grid gap-5" noValidate>
			<FormError errors={errors} names={{ email: 'Email' }}>
				{message}
			</FormError>
			<Field
				label="Email"
				name="email"
				type="email"
				autoComplete="email"
				placeholder="you@university.example"
				defaultValue={values?.email}
				error={errors?.email}
			/>
			<SubmitButton className="btn btn-primary btn-lg w-full" busyLabel="Sending...">
				Send Email
			</SubmitButton>
		</Form>
	)
}

/** The same whether or not the address is known. */
function Sent() {
	return (
		<div className="mt-4">
			<p className="text-md">
				If the address belongs to an account, a link is on its way. It works once, for 10 minutes.
			</p>
			<p className="mt-6">
				<Link className="btn btn-outline" to="/forgot-password">
					Send again
				</Link>
			</p>
			<p className="hint mt-6">No email? Check your spam folder, and that this is the address you registered with.</p>
		</div>
	)
}
