import { data, redirect } from 'react-router'
import { LinkRequired, linkingPageFor } from '~/features/account-linking/account-linking.server.ts'
import { SecondStepRequired } from '~/features/accounts/login.server.ts'
import { withParams } from '~/lib/addresses.ts'
import { factsOf, viewerOf } from '~/lib/context.ts'
import { DomainError, retryHeaders } from '~/lib/errors.ts'
import { pageMeta } from '~/lib/page-meta.ts'
import { redirectWithToast } from '~/platform/http/http.ts'
import { AccountFrame } from '~/shell/account-frame.tsx'
import { FormError } from '~/ui/form-error.tsx'
import { Link } from '~/ui/link.tsx'
import { loginsPath } from '../campus-login.view.ts'
import { clearFlowCookie, destinationOf, finishFlow, isStillPending } from '../login-flow.server.ts'
import type { Route } from './+types/callback'

/** The redirect URI of providers. Shows errors, with a link to start again. */
export async function loader({ request, params, context }: Route.LoaderArgs) {
	try {
		const { redirectTo, message, headers } = await finishFlow(
			params.provider,
			request,
			viewerOf(context),
			factsOf(context).ip,
		)
		headers.append('Set-Cookie', clearFlowCookie())
		return redirectWithToast(redirectTo, { type: 'plain', message }, headers)
	} catch (error) {
		if (!(error instanceof DomainError)) throw error
		if (error instanceof SecondStepRequired || error instanceof LinkRequired) {
			const cookies = new Headers([
				['Set-Cookie', error.cookie],
				['Set-Cookie', clearFlowCookie()],
			])
			const to = destinationOf(request)
			const next = error instanceof LinkRequired ? linkingPageFor(to) : withParams('/login/code', { redirectTo: to })
			return redirect(next, { status: 303, headers: cookies })
		}
		const headers = new Headers(retryHeaders(error))
		if (!isStillPending(error)) headers.append('Set-Cookie', clearFlowCookie())
		return data({ message: error.message, isLoggedIn: viewerOf(context) !== null }, { status: error.status, headers })
	}
}

export function meta({ matches }: Route.MetaArgs) {
	return pageMeta(matches, { title: 'Login', noindex: true })
}

export default function Callback({ loaderData: { message, isLoggedIn } }: Route.ComponentProps) {
	return (
		<AccountFrame
			title={isLoggedIn ? 'It did not go through' : 'You are not logged in'}
			lead={isLoggedIn ? 'You are logged in as before.' : 'The login did not go through.'}
		>
			<div className="mt-6 grid gap-6">
				<FormError>{message}</FormError>
				<p>
					<Link className="btn btn-primary btn-lg" to={isLoggedIn ? loginsPath : '/login'}>
						{isLoggedIn ? 'Back to your ways to log in' : 'Back to the login'}
					</Link>
				</p>
			</div>
		</AccountFrame>
	)
}
