import { redirect } from 'react-router'
import { LinkRequired, linkingPageFor } from '~/features/account-linking/account-linking.server.ts'
import { LINKED } from '~/features/account-linking/account-linking.view.ts'
import { SecondStepRequired } from '~/features/accounts/login.server.ts'
import { requireConfirmed } from '~/features/accounts/security/confirmation.server.ts'
import { viewerOf } from '~/lib/context.ts'
import { pageMeta } from '~/lib/page-meta.ts'
import { readForm, refuseForm } from '~/platform/http/form.server.ts'
import {
	redirectWithSuccess,
	redirectWithToast,
	requireLogin,
	safeRedirect,
	withHttpErrors,
} from '~/platform/http/http.ts'
import { AccountFrame } from '~/shell/account-frame.tsx'
import { Field } from '~/ui/field.tsx'
import { FormError } from '~/ui/form-error.tsx'
import { useRefusalToast } from '~/ui/form-kit.ts'
import { Form, Link } from '~/ui/link.tsx'
import { PasswordField } from '~/ui/password-field.tsx'
import { SubmitButton } from '~/ui/submit-button.tsx'
import { loginsPath } from '../campus-login.view.ts'
import { linkByLdap, logInByLdap, requireLdapProvider } from '../ldap-login.server.ts'
import type { Route } from './+types/ldap'

/** `?link=1` links the directory to the logged-in member's account. */
const linkPath = '/login/ldap?link=1'

export function loader({ context, url }: Route.LoaderArgs) {
	return withHttpErrors(async () => {
		const { label } = requireLdapProvider()
		const redirectTo = safeRedirect(url.searchParams.get('redirectTo'), '/find-dev')
		const isLink = url.searchParams.has('link')
		if (isLink) requireLogin(context, url)
		else if (viewerOf(context)) throw redirect(redirectTo)
		return { label, redirectTo, isLink }
	})
}

/** The button of the login page sends no username, and leads to the form. */
export async function action({ request, context, url }: Route.ActionArgs) {
	const form = await readForm(request)
	const redirectTo = safeRedirect(form.get('redirectTo') ?? url.searchParams.get('redirectTo'), '/find-dev')
	const query = `redirectTo=${encodeURIComponent(redirectTo)}`
	try {
		requireLdapProvider()
		if (!form.has('username')) return redirect(`/login/ldap?${query}`, 303)
		if (url.searchParams.has('link')) {
			await requireConfirmed(requireLogin(context, url), request, loginsPath)
			await linkByLdap(form, request)
			return redirectWithSuccess(loginsPath, LINKED)
		}
		const { headers, isNew, leadsTo } = await logInByLdap(form, request)
		return redirectWithToast(
			leadsTo ?? redirectTo,
			{ type: 'plain', message: isNew ? 'Welcome!' : 'Welcome back!' },
			headers,
		)
	} catch (error) {
		if (error instanceof SecondStepRequired)
			return redirect(`/login/code?${query}`, { status: 303, headers: { 'Set-Cookie': error.cookie } })
		if (error instanceof LinkRequired)
			return redirect(linkingPageFor(redirectTo), { status: 303, headers: { 'Set-Cookie': error.cookie } })
		return refuseForm(error, form)
	}
}

export function meta({ matches }: Route.MetaArgs) {
	return pageMeta(matches, { title: 'Login', noindex: true })
}

export default function Ldap({ loaderData: { label, redirectTo, isLink }, actionData }: Route.ComponentProps) {
	useRefusalToast(actionData)
	const query = `?redirectTo=${encodeURIComponent(redirectTo)}`
	return (
		<AccountFrame
			title={isLink ? 'Link your university account' : label}
			lead={
				<Link className="link" to={isLink ? loginsPath : `/login${query}`}>
					{isLink ? 'Back to your ways to log in' : 'Other ways to log in'}
				</Link>
			}
		>
			<Form method="post" action={isLink ? linkPath : `/login/ldap${query}`} className="mt-8 grid gap-5">
				<FormError errors={actionData?.errors} names={{ username: 'Username', password: 'Password' }}>
					{actionData?.message}
				</FormError>
				<Field
					label="Username"
					name="username"
					type="text"
					autoComplete="username"
					autoCapitalize="none"
					required
					defaultValue={actionData?.values.username ?? ''}
					error={actionData?.errors.username}
				/>
				<PasswordField
					required
					label="Password"
					name="password"
					autoComplete="current-password"
					error={actionData?.errors.password}
				/>
				<SubmitButton className="btn btn-primary btn-lg w-full" busyLabel={isLink ? 'Linking...' : 'Logging in...'}>
					{isLink ? 'Link' : 'Login'}
				</SubmitButton>
			</Form>
		</AccountFrame>
	)
}
