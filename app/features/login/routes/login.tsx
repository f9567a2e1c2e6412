import { redirect, useSearchParams } from 'react-router'
import { isLeaving } from '~/features/accounts/accounts.queries.server.ts'
import { logIn, SecondStepRequired } from '~/features/accounts/login.server.ts'
import {
	findLoginElsewhere,
	type LoginButton,
	type LoginElsewhere,
	loginMethods,
} from '~/features/accounts/login-methods.server.ts'
import { hasPasswordException } from '~/features/sessions/password-exceptions.server.ts'
import { viewerOf } from '~/lib/context.ts'
import { memberShareMeta, pageMeta, sharedUsername } from '~/lib/page-meta.ts'
import { readForm, readText, refuseForm } from '~/platform/http/form.server.ts'
import type { FormRefusal } from '~/platform/http/form.ts'
import { redirectWithToast, safeRedirect } from '~/platform/http/http.ts'
import { isPrivateSite } from '~/platform/http/site-access.server.ts'
import { AccountFrame } from '~/shell/account-frame.tsx'
import { Field } from '~/ui/field.tsx'
import { FormError } from '~/ui/form-error.tsx'
import { useRefusalToast } from '~/ui/form-kit.ts'
import { Form, Link } from '~/ui/link.tsx'
import { PasswordField } from '~/ui/password-field.tsx'
import { SubmitButton } from '~/ui/submit-button.tsx'
import type { Route } from './+types/login'

export async function loader({ context, url }: Route.LoaderArgs) {
	if (viewerOf(context)) throw redirect(safeRedirect(url.searchParams.get('redirectTo'), '/find-dev'))
	const [hasException, elsewhere] = await Promise.all([
		hasPasswordException(),
		findLoginElsewhere(url.searchParams.get('elsewhere') ?? ''),
	])
	return { ...loginMethods(), isPrivate: isPrivateSite(), hasException, elsewhere }
}

export async function action({ request, url }: Route.ActionArgs) {
	const form = await readForm(request)
	try {
		const headers = await logIn(form, request)
		// A member who is leaving is first offered to keep their account.
		if (await isLeaving(readText(form, 'email').trim())) return redirect('/settings/leave', { status: 303, headers })
		return redirectWithToast(
			safeRedirect(url.searchParams.get('redirectTo'), '/find-dev'),
			{ type: 'plain', message: 'Welcome back!' },
			headers,
		)
	} catch (error) {
		if (error instanceof SecondStepRequired)
			return redirect(`/login/code${url.search}`, { status: 303, headers: { 'Set-Cookie': error.cookie } })
		return refuseForm(error, form)
	}
}

/**
 * A shared link to a member redirects here, and previews are fetched without a session, so this page describes that member. It
 * knows only the address; the card is the site's for a member who is not listed, and for unknown names.
 */
export function meta({ matches, location }: Route.MetaArgs) {
	const username = sharedUsername(new URLSearchParams(location.search).get('redirectTo') ?? '')
	const share = username ? memberShareMeta(matches, { username, name: `@${username}` }) : []
	return [...pageMeta(matches, { title: 'Login', noindex: true }), ...share]
}

export default function Login({ loaderData, actionData }: Route.ComponentProps) {
	const { buttons, hasPasswords, isPrivate, hasException, elsewhere } = loaderData
	useRefusalToast(actionData)
	const [search] = useSearchParams()
	const redirectTo = search.get('redirectTo') ?? ''
	const query = redirectTo ? `?redirectTo=${encodeURIComponent(redirectTo)}` : ''
	/** The form for members who have left the university. */
	const isException = hasException && search.has('left')
	const address = isException ? `/login?left${query.replace('?', '&')}` : `/login${query}`
	return (
		<AccountFrame
			title="Login"
			lead={
				hasPasswords ? (
					<>
						New here?{' '}
						<Link className="link font-semibold text-ink" to={`/register${query}`}>
							Register
						</Link>
					</>
				) : (
					'New here? Your first login creates an account.'
				)
			}
		>
			{elsewhere && <LoginElsewhereNotice elsewhere={elsewhere} />}
			{isPrivate && <p className="mt-4">This site is for its members. Log in to read it.</p>}
			<LoginButtons
				buttons={buttons}
				redirectTo={redirectTo}
				or={
					isException
						? 'or, if you have left the university, with your password'
						: hasPasswords && 'or with your password'
				}
			/>
			{hasException && !isException && (
				<p className="mt-8 text-ink-2">
					You have left the university?{' '}
					<Link className="link" to={`/login?left${query.replace('?', '&')}`}>
						Log in with a password
					</Link>
				</p>
			)}
			{(hasPasswords || isException) && (
				<PasswordForm address={address} email={search.get('email') ?? ''} refusal={actionData} />
			)}
		</AccountFrame>
	)
}

/** Says that a browser may still be logged in at another site, after a logout here. */
function LoginElsewhereNotice({ elsewhere: { site, url } }: { elsewhere: LoginElsewhere }) {
	return (
		<p className="mt-4" role="status">
			You are logged out here, but your browser may still be logged in at {site}. If others use this device,{' '}
			{url ? (
				<a className="link" href={url} rel="noreferrer">
					log out there
				</a>
			) : (
				'log out there'
			)}{' '}
			too.
		</p>
	)
}

interface PasswordFormProps {
	/** Explicit, as browser and server may encode the current address differently. */
	address: string
	/** Fills in the field. */
	email: string
	refusal: FormRefusal | undefined
}

function PasswordForm({ address, email, refusal }: PasswordFormProps) {
	return (
		<Form method="post" action={address} className="mt-8 grid gap-5">
			<FormError errors={refusal?.errors} names={{ email: 'Email', password: 'Password' }}>
				{refusal?.message}
			</FormError>
			<Field
				label="Email"
				name="email"
				type="text"
				autoComplete="username"
				autoCapitalize="none"
				required
				defaultValue={refusal?.values.email ?? email}
				error={refusal?.errors.email}
			/>
			<PasswordField
				required
				label="Password"
				name="password"
				autoComplete="current-password"
				error={refusal?.errors.password}
				aside={
					<Link className="link text-sm text-ink-2" to="/forgot-password">
						Forgot Password?
					</Link>
				}
			/>
			<SubmitButton className="btn btn-primary btn-lg w-full" busyLabel="Logging in...">
				Login
			</SubmitButton>
		</Form>
	)
}

interface LoginButtonsProps {
	buttons: LoginButton[]
	/** Where the login leads. */
	redirectTo: string
	/** What leads to the password. */
	or: string | false
}

/** A button for each login method besides the password. The browser sends these forms itself, as they lead to other sites. */
function LoginButtons({ buttons, redirectTo, or }: LoginButtonsProps) {
	if (buttons.length === 0) return null
	return (
		<div className="mt-8 grid gap-3">
			{buttons.map(({ name, label }) => (
				<form key={name} method="post" action={`/login/${name}`}>
					<input type="hidden" name="redirectTo" value={redirectTo} />
					<button type="submit" className="btn btn-outline btn-lg w-full">
						{label}
					</button>
				</form>
			))}
			{or && <p className="-mb-4 text-center text-ink-2">{or}</p>}
		</div>
	)
}
