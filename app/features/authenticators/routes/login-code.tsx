import { redirect, useSearchParams } from 'react-router'
import { NotAllowed } from '~/lib/errors.ts'
import { pageMeta } from '~/lib/page-meta.ts'
import { readForm, refuseForm } from '~/platform/http/form.server.ts'
import { redirectWithSuccess, redirectWithToast, safeRedirect } from '~/platform/http/http.ts'
import { AccountFrame } from '~/shell/account-frame.tsx'
import { useRefusalToast } from '~/ui/form-kit.ts'
import { Link } from '~/ui/link.tsx'
import { CodeForm } from '../components/code-form.tsx'
import { finishSecondStep, hasPendingLogin } from '../second-factor.server.ts'
import type { Route } from './+types/login-code'

/** Redirects to the login unless a password was given in this browser. */
export async function loader({ request }: Route.LoaderArgs) {
	return { waits: await hasPendingLogin(request) }
}

export async function action({ request, url }: Route.ActionArgs) {
	const form = await readForm(request)
	try {
		const { headers, isLeaving, notice } = await finishSecondStep(form, request)
		// A member who asked for deletion can first choose to keep the account.
		const to = isLeaving ? '/settings/leave' : safeRedirect(url.searchParams.get('redirectTo'), '/find-dev')
		if (notice) return redirectWithSuccess(to, notice, headers)
		if (isLeaving) return redirect(to, { status: 303, headers })
		return redirectWithToast(to, { type: 'plain', message: 'Welcome back!' }, headers)
	} catch (error) {
		if (error instanceof NotAllowed)
			return redirectWithToast(`/login${url.search}`, { type: 'error', message: error.message })
		return refuseForm(error, form)
	}
}

export function meta({ matches }: Route.MetaArgs) {
	return pageMeta(matches, { title: 'Login code', noindex: true })
}

export default function LoginCode({ loaderData: { waits }, actionData }: Route.ComponentProps) {
	useRefusalToast(actionData)
	const [search] = useSearchParams()
	const query = search.size > 0 ? `?${search}` : ''
	return (
		<AccountFrame
			title="One more step"
			lead={waits ? 'Type the code that your authenticator app shows.' : 'Enter your password first.'}
		>
			{waits && (
				<CodeForm
					action={`/login/code${query}`}
					refusal={actionData}
					label="Login"
					hint="Without your phone, type one of your recovery codes. If you have lost both, ask an admin of this site."
				/>
			)}
			<p className="mt-6">
				<Link className="link" to={`/login${query}`}>
					Back to the login
				</Link>
			</p>
		</AccountFrame>
	)
}
