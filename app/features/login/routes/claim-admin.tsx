import { data } from 'react-router'
import { claimAdmin, requireAdminClaim } from '~/features/accounts/registration/admin.server.ts'
import { refreshSession } from '~/features/accounts/viewer.server.ts'
import { pageMeta } from '~/lib/page-meta.ts'
import { readForm, readText, refuseForm } from '~/platform/http/form.server.ts'
import { findByToken, redirectWithSuccess, requireLogin } from '~/platform/http/http.ts'
import { TokenExitLink, TokenForm, TokenPage } from '~/ui/token-page.tsx'
import type { Route } from './+types/claim-admin'

/** Only asks; the button makes the viewer admin. */
export async function loader({ context, url }: Route.LoaderArgs) {
	const { name, username } = requireLogin(context, url)
	const token = url.searchParams.get('token') ?? ''
	const { message, status } = await findByToken(() => requireAdminClaim(token))
	return data({ token: message ? '' : token, name, username, message }, { status })
}

export async function action({ request, context, url }: Route.ActionArgs) {
	const viewer = requireLogin(context, url)
	const form = await readForm(request)
	try {
		await claimAdmin(viewer, readText(form, 'token'))
		const message = 'You are now the admin of this site.'
		return redirectWithSuccess('/admin', message, await refreshSession(request))
	} catch (error) {
		return refuseForm(error, form)
	}
}

export function meta({ matches }: Route.MetaArgs) {
	return pageMeta(matches, { title: 'Become admin', hasToken: true })
}

export default function ClaimAdmin({ loaderData, actionData }: Route.ComponentProps) {
	const { token, name, username, message } = loaderData
	if (!token)
		return (
			<TokenPage title="This link no longer works" lead={message}>
				<TokenExitLink to="/">Go home</TokenExitLink>
			</TokenPage>
		)
	return (
		<TokenPage
			title="Become the admin of this site?"
			lead={`${name} (@${username}) can then set up the site, appoint moderators, decide cases and read the log. The link works once.`}
		>
			<TokenForm token={token} message={actionData?.message} label="Become admin" busyLabel="Saving..." />
		</TokenPage>
	)
}
