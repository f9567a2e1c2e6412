import { data } from 'react-router'
import { refreshSession, requireSession } from '~/features/accounts/viewer.server.ts'
import { pageMeta } from '~/lib/page-meta.ts'
import { chooseIntent, readForm, readText, refuseForm } from '~/platform/http/form.server.ts'
import { findByToken, redirectWithSuccess, requireLogin } from '~/platform/http/http.ts'
import { ExpiredTokenPage, revalidateTokenPage, TokenExitLink, TokenForm, TokenPage } from '~/ui/token-page.tsx'
import { confirmEmail, findChange, resendEmail } from '../emails/emails.server.ts'
import { emailSettingsPath } from '../emails/emails.view.ts'
import type { Route } from './+types/confirm-email'

/** Shows the change only to the member who requested it. */
export async function loader({ context, url }: Route.LoaderArgs) {
	const viewer = requireLogin(context, url)
	const token = url.searchParams.get('token') ?? ''
	const { found, message, status } = await findByToken(() => findChange(viewer, token))
	return data({ token, change: found, username: viewer.username, message }, { status })
}

export async function action({ request, context, url }: Route.ActionArgs) {
	const viewer = requireLogin(context, url)
	const form = await readForm(request)
	try {
		return await chooseIntent(form.get('intent'), {
			'': async () => {
				await requireSession(viewer, request)
				const email = await confirmEmail(viewer, readText(form, 'token'))
				const message = `${email} is confirmed. You can log in by it from now on.`
				return redirectWithSuccess(emailSettingsPath, message, await refreshSession(request))
			},
			resend: async () => {
				const message = `A new link is on its way to ${await resendEmail(viewer)}. It works for 10 minutes.`
				return redirectWithSuccess(emailSettingsPath, message)
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

export default function ConfirmEmail({
	loaderData: { token, change, username, message },
	actionData,
}: Route.ComponentProps) {
	if (!change)
		return (
			<TokenPage title="Not confirmed" lead={message}>
				<TokenExitLink to={emailSettingsPath}>Go to my email settings</TokenExitLink>
			</TokenPage>
		)
	const refusal = actionData?.message
	if (change.isOver)
		return (
			<ExpiredTokenPage token={token} message={refusal} to={<span className="wrap-anywhere">{change.email}</span>} />
		)
	return (
		<TokenPage
			title={`Confirm ${change.email}?`}
			lead={
				<>
					{change.place === 'email'
						? `@${username} will then log in and get mail by this address. The one before will not work any more.`
						: `@${username} can then log in and set a new password by this address, too.`}{' '}
					Links to set a new password that were sent before stop working.
				</>
			}
		>
			<TokenForm token={token} message={refusal} label="Confirm this address" busyLabel="Confirming..." />
		</TokenPage>
	)
}
