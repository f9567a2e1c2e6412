import { data, redirect } from 'react-router'
import {
	confirmAddress,
	denyRegistration,
	findConfirmation,
	resendLink,
} from '~/features/accounts/registration/registrations.server.ts'
import { refreshSession } from '~/features/accounts/viewer.server.ts'
import { viewerOf } from '~/lib/context.ts'
import { pageMeta } from '~/lib/page-meta.ts'
import { chooseIntent, readForm, readText, refuseForm } from '~/platform/http/form.server.ts'
import { findByToken, redirectWithSuccess } from '~/platform/http/http.ts'
import { AccountFrame } from '~/shell/account-frame.tsx'
import { FormError } from '~/ui/form-error.tsx'
import { Form, Link } from '~/ui/link.tsx'
import { PasswordField } from '~/ui/password-field.tsx'
import { SubmitButton } from '~/ui/submit-button.tsx'
import { revalidateTokenPage } from '~/ui/token-page.tsx'
import type { Route } from './+types/verify-email'

const alreadyMessage = 'This address is already confirmed. Log in.'
const linkIsOverMessage = 'A link works for 10 minutes after it was sent. We can send a new one to the same address.'

/** Shows what the link would confirm, and changes nothing: mail scanners follow links, too. */
export async function loader({ request, url }: Route.LoaderArgs) {
	const token = url.searchParams.get('token') ?? ''
	if (url.searchParams.has('sent')) return { token: '', confirmation: null, isSent: true, message: '' }
	const { found, message, status } = await findByToken(() => findConfirmation(token, request.headers))
	return data({ token, confirmation: found, isSent: false, message }, { status })
}

export async function action({ request, context }: Route.ActionArgs) {
	const form = await readForm(request)
	const token = readText(form, 'token')
	try {
		return await chooseIntent(form.get('intent'), {
			'': async () => {
				const given = { token, password: readText(form, 'password') }
				const { email, again: wasConfirmed } = await confirmAddress(given, request)
				const message = wasConfirmed ? alreadyMessage : 'Your address is confirmed. Login to continue.'
				// An existing session shows at once what the confirmed address changed.
				const headers = viewerOf(context) ? await refreshSession(request) : new Headers()
				return redirectWithSuccess(`/login?${new URLSearchParams({ email })}`, message, headers)
			},
			deny: async () => {
				await denyRegistration(token)
				const message = 'The registration is cancelled. Nobody can log in with it.'
				return redirectWithSuccess('/login', message)
			},
			resend: async () => {
				await resendLink(token, request)
				return redirect('/verify-email?sent')
			},
		})
	} catch (error) {
		return refuseForm(error, form)
	}
}

export const shouldRevalidate = revalidateTokenPage

export function meta({ matches }: Route.MetaArgs) {
	return pageMeta(matches, { title: 'Confirm address', hasToken: true })
}

export default function VerifyEmail({
	loaderData: { token, confirmation, isSent, message },
	actionData,
}: Route.ComponentProps) {
	if (isSent)
		return (
			<AccountFrame
				title="Check your mailbox"
				lead="If the address is not confirmed yet, a new link is on its way to it. It works for 10 minutes. We send at most three an hour."
			/>
		)
	if (confirmation?.state === 'over')
		return (
			<AccountFrame title="This link is too old" lead={linkIsOverMessage}>
				<Form method="post" className="mt-8 grid gap-4">
					<FormError>{actionData?.message}</FormError>
					<input type="hidden" name="token" value={token} />
					<SubmitButton className="btn btn-primary btn-lg w-full" busyLabel="Sending..." name="intent" value="resend">
						Send me a new link
					</SubmitButton>
				</Form>
				<Denial token={token} />
			</AccountFrame>
		)
	if (!confirmation || confirmation.state === 'used')
		return (
			<AccountFrame title={confirmation ? 'Confirmed' : 'Not confirmed'} lead={confirmation ? alreadyMessage : message}>
				<p className="mt-8">
					<Link className="btn btn-primary" to="/login">
						{confirmation ? 'Login' : 'Log in to get a new link'}
					</Link>
				</p>
			</AccountFrame>
		)
	return (
		<AccountFrame
			title="Confirm your address"
			lead={`“${confirmation.name}” was registered with ${confirmation.email}. Is that you?`}
		>
			<Form method="post" className="mt-8 grid gap-5" noValidate>
				<FormError errors={actionData?.errors} names={{ password: 'Password' }}>
					{actionData?.message}
				</FormError>
				<input type="hidden" name="token" value={token} />
				{confirmation.needsPassword && (
					<PasswordField
						required
						label="Password"
						name="password"
						autoComplete="current-password"
						error={actionData?.errors.password}
						hint="The password you chose. We ask because you registered in a different browser."
					/>
				)}
				<SubmitButton className="btn btn-primary btn-lg w-full" busyLabel="Confirming...">
					Confirm my address
				</SubmitButton>
			</Form>
			<Denial token={token} />
		</AccountFrame>
	)
}

function Denial({ token }: { token: string }) {
	return (
		<Form method="post" className="mt-4">
			<input type="hidden" name="token" value={token} />
			<SubmitButton className="btn btn-outline w-full" busyLabel="Cancelling..." name="intent" value="deny">
				I did not register
			</SubmitButton>
		</Form>
	)
}
