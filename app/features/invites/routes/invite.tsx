import { data, redirect } from 'react-router'
import { termsToAccept } from '~/features/accounts/security/suspension.server.ts'
import { NewAccountFields, newAccountFieldNames } from '~/features/login/components/new-account-fields.tsx'
import { viewerOf } from '~/lib/context.ts'
import { pageMeta } from '~/lib/page-meta.ts'
import { readForm, refuseForm } from '~/platform/http/form.server.ts'
import { findByToken, redirectWithSuccess } from '~/platform/http/http.ts'
import { AccountFrame } from '~/shell/account-frame.tsx'
import { FormError } from '~/ui/form-error.tsx'
import { useRefusalToast } from '~/ui/form-kit.ts'
import { Form, Link } from '~/ui/link.tsx'
import { SubmitButton } from '~/ui/submit-button.tsx'
import { registerInvited, requireInvite } from '../joining/joining.server.ts'
import type { Route } from './+types/invite'

/** Shows the invitation. Changes nothing, as mail scanners open links too. */
export async function loader({ context, url }: Route.LoaderArgs) {
	if (viewerOf(context)) throw redirect('/')
	const token = url.searchParams.get('token') ?? ''
	const { found, message, status } = await findByToken(() => requireInvite(token))
	return data({ token, invitation: found, message, terms: termsToAccept() }, { status })
}

export async function action({ request }: Route.ActionArgs) {
	const form = await readForm(request)
	try {
		const { email, confirm, headers } = await registerInvited(form, request)
		const message = confirm
			? 'You are registered. We have emailed you a link to confirm your address.'
			: 'Welcome! Login to continue.'
		return redirectWithSuccess(`/login?${new URLSearchParams({ email })}`, message, headers)
	} catch (error) {
		return refuseForm(error, form)
	}
}

export function meta({ matches }: Route.MetaArgs) {
	return pageMeta(matches, { title: 'Join', hasToken: true })
}

export default function Invite({
	loaderData: { token, invitation, message, terms },
	actionData,
}: Route.ComponentProps) {
	useRefusalToast(actionData)
	const { values = {}, errors = {} } = actionData ?? {}
	if (!invitation)
		return (
			<AccountFrame title="You cannot join with this link" lead={message}>
				<p className="mt-8">
					<Link className="btn btn-primary" to="/login">
						Login
					</Link>
				</p>
			</AccountFrame>
		)
	const { email, cohort, hasPassword, domains } = invitation
	const welcome = email
		? `${email} is invited${cohort && ` as ${cohort}`}.`
		: `You are invited${cohort && ` as ${cohort}`}.`
	const lead = <span className="wrap-anywhere">{welcome}</span>
	if (!hasPassword)
		return (
			<AccountFrame title="Join" lead={lead}>
				<p className="mt-6">You join with your account at the university.</p>
				<p className="mt-6">
					<Link className="btn btn-primary" to="/login">
						Login
					</Link>
				</p>
			</AccountFrame>
		)
	return (
		<AccountFrame title="Join" lead={lead}>
			<Form method="post" className="mt-8 grid gap-5" noValidate>
				<FormError errors={errors} names={newAccountFieldNames}>
					{actionData?.message}
				</FormError>
				<input type="hidden" name="token" value={token} />
				<NewAccountFields
					values={values}
					errors={errors}
					terms={terms}
					email={email}
					{...(domains.length > 0 && { emailHint: `An address of ${domains.join(', ')}.` })}
				/>
				<SubmitButton className="btn btn-primary btn-lg w-full" busyLabel="Joining...">
					Join
				</SubmitButton>
			</Form>
		</AccountFrame>
	)
}
