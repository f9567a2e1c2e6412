import { useEffect, useRef, useState } from 'react'
import { useNavigation } from 'react-router'
import { allowsPasswords } from '~/features/accounts/login-methods.server.ts'
import { changePassword } from '~/features/accounts/security/change-password.server.ts'
import { hasPassword } from '~/features/accounts/security/credentials.server.ts'
import { pageMeta } from '~/lib/page-meta.ts'
import { readForm, refuseForm } from '~/platform/http/form.server.ts'
import { type FormRefusal, submitForm } from '~/platform/http/form.ts'
import { redirectWithSuccess } from '~/platform/http/http.ts'
import { FormError } from '~/ui/form-error.tsx'
import { useRefusal } from '~/ui/form-kit.ts'
import { Form, Link } from '~/ui/link.tsx'
import { PasswordField } from '~/ui/password-field.tsx'
import { SectionHeading } from '~/ui/section-heading.tsx'
import { SubmitButton } from '~/ui/submit-button.tsx'
import { LeaveDialog, useUnsaved } from '../components/edit-form.tsx'
import { requireOwnForm, requireOwnPage } from '../requests.server.ts'
import type { Route } from './+types/edit-change-password'

export async function loader(args: Route.LoaderArgs) {
	const { id } = requireOwnPage(args)
	return { hasPassword: await hasPassword(id), allowsPasswords: allowsPasswords() }
}

export async function action(args: Route.ActionArgs) {
	const viewer = await requireOwnForm(args)
	const form = await readForm(args.request)
	try {
		const session = await changePassword(viewer, form, args.request)
		return redirectWithSuccess(args.url.pathname, 'Password updated Successfully', session)
	} catch (error) {
		return refuseForm(error, form, 'Something went wrong!')
	}
}

export const clientAction = (args: Route.ClientActionArgs) => submitForm(args)

export function meta({ matches }: Route.MetaArgs) {
	return pageMeta(matches, { title: 'Change Password', noindex: true })
}

export default function EditChangePassword({ loaderData, actionData }: Route.ComponentProps) {
	return (
		<>
			<h1 className="text-2xl font-bold">Change Password</h1>
			{loaderData.hasPassword ? (
				<PasswordForm actionData={actionData} />
			) : (
				<p className="mt-6 max-w-read text-ink-2">
					You log in without a password.{' '}
					{loaderData.allowsPasswords ? (
						<>
							To have one as well,{' '}
							<Link className="link" to="/forgot-password">
								ask for a link to set it
							</Link>
							.
						</>
					) : (
						'Passwords are switched off on this site.'
					)}
				</p>
			)}
		</>
	)
}

function PasswordForm({ actionData }: { actionData: FormRefusal | undefined }) {
	const form = useRef<HTMLFormElement>(null)
	const errors = actionData?.errors ?? {}
	useRefusal(form, actionData ?? null)
	const [saves, setSaves] = useState(0)
	const { look, allow, sending, blocker } = useUnsaved(form, String(saves), null)
	const { state } = useNavigation()
	// Cleared after a save, but not when an error is dismissed, which also happens if another page fails to load.
	useEffect(() => {
		if (state !== 'idle' || !sending.current) return
		sending.current = false
		if (actionData) return
		form.current?.reset()
		setSaves((count) => count + 1)
	}, [state, actionData, sending])
	return (
		<>
			{/* Without browser validation: the server reports all errors at once, in our words. */}
			<Form
				ref={form}
				method="post"
				className="mt-6 max-w-sm"
				noValidate
				replace
				preventScrollReset
				onInput={look}
				onSubmit={allow}
			>
				<SectionHeading title="Password" />
				<div className="mt-2 grid gap-5">
					<FormError errors={errors} names={{ currentPassword: 'Current password', newPassword: 'New password' }}>
						{actionData?.message}
					</FormError>
					<PasswordField
						label="Current password"
						name="currentPassword"
						autoComplete="current-password"
						required
						error={errors.currentPassword}
					/>
					<PasswordField
						label="New password"
						name="newPassword"
						autoComplete="new-password"
						required
						minLength={8}
						error={errors.newPassword}
						hint="At least 8 characters. You will be logged out everywhere else."
					/>
					<p>
						<SubmitButton busyLabel="Saving...">Save new password</SubmitButton>
					</p>
				</div>
			</Form>
			<LeaveDialog blocker={blocker} />
		</>
	)
}
