import { Suspense, useState } from 'react'
import { redirect, type ShouldRevalidateFunctionArgs, useSearchParams } from 'react-router'
import { registerMember } from '~/features/accounts/accounts.server.ts'
import {
	challengeFor,
	registrationNotice,
	registrationSettings,
} from '~/features/accounts/registration/rules.server.ts'
import { termsToAccept } from '~/features/accounts/security/suspension.server.ts'
import { factsOf, viewerOf } from '~/lib/context.ts'
import { pageMeta } from '~/lib/page-meta.ts'
import { readForm, refuseForm } from '~/platform/http/form.server.ts'
import { redirectWithSuccess } from '~/platform/http/http.ts'
import { AccountFrame } from '~/shell/account-frame.tsx'
import { lazyWithRetry } from '~/shell/guarded.ts'
import { FormError } from '~/ui/form-error.tsx'
import { useRefusalToast } from '~/ui/form-kit.ts'
import { Form, Link } from '~/ui/link.tsx'
import { SubmitButton } from '~/ui/submit-button.tsx'
import { NewAccountFields, newAccountFieldNames } from '../components/new-account-fields.tsx'
import type { Route } from './+types/register'

/** Loaded only where many have registered from one network. */
const ProofField = lazyWithRetry(() => import('~/platform/proof/proof-field.tsx'))

export async function loader({ context }: Route.LoaderArgs) {
	if (viewerOf(context)) throw redirect('/')
	const notice = registrationNotice()
	const { domains } = registrationSettings()
	const challenge = notice ? null : await challengeFor(factsOf(context).ip)
	return { notice, domains, challenge, terms: termsToAccept() }
}

const registered = 'User registered successfully! Login to continue.'

export async function action({ request, url }: Route.ActionArgs) {
	const form = await readForm(request)
	try {
		const { email, confirm, headers } = await registerMember(form, request)
		const search = new URLSearchParams({ email })
		const redirectTo = url.searchParams.get('redirectTo')
		if (redirectTo) search.set('redirectTo', redirectTo)
		const message = confirm ? `${registered} We have emailed you a link to confirm your address.` : registered
		return redirectWithSuccess(`/login?${search}`, message, headers)
	} catch (error) {
		return refuseForm(error, form)
	}
}

/** After an error too: each proof counts once, and one may have become required since the page was opened. */
export function shouldRevalidate({ formMethod, defaultShouldRevalidate }: ShouldRevalidateFunctionArgs): boolean {
	return formMethod === 'POST' || defaultShouldRevalidate
}

export function meta({ matches }: Route.MetaArgs) {
	return pageMeta(matches, { title: 'Register', noindex: true })
}

export default function Register({
	loaderData: { notice, domains, challenge, terms },
	actionData,
}: Route.ComponentProps) {
	useRefusalToast(actionData)
	const [isProving, setProving] = useState(false)
	const { values = {}, errors = {}, message } = actionData ?? {}
	const [search] = useSearchParams()
	const redirectTo = search.get('redirectTo')
	const query = redirectTo ? `?redirectTo=${encodeURIComponent(redirectTo)}` : ''
	const login = (
		<Link className="link font-semibold text-ink" to={`/login${query}`}>
			Login
		</Link>
	)
	if (notice)
		return (
			<AccountFrame title="Register" lead={<>Have an account? {login}</>}>
				<p className="mt-8 text-md">{notice}</p>
			</AccountFrame>
		)
	return (
		<AccountFrame
			title="Register"
			lead={
				<>
					{domains.length > 0 && `For people with an email address of ${domains.join(', ')}. `}Have an account? {login}
				</>
			}
		>
			{/* The server reports all errors at once, in our own words. */}
			<Form method="post" action={`/register${query}`} className="mt-8 grid gap-5" noValidate>
				<FormError errors={errors} names={newAccountFieldNames}>
					{message}
				</FormError>
				<NewAccountFields values={values} errors={errors} terms={terms} />
				{/* Bots fill it in; people do not see it. */}
				<div className="sr-only" aria-hidden="true">
					<label htmlFor="website">Leave this empty</label>
					<input id="website" name="website" type="text" tabIndex={-1} autoComplete="off" defaultValue="" />
				</div>
				{challenge && (
					<>
						<input type="hidden" name="challenge" value={challenge} />
						<Suspense>
							<ProofField challenge={challenge} onState={setProving} />
						</Suspense>
						<noscript>
							<p className="hint">
								Many people have just registered from your network. Wait half a minute before you press Register.
							</p>
						</noscript>
					</>
				)}
				{isProving ? (
					<button className="btn btn-primary btn-lg w-full" type="button" disabled aria-busy>
						One moment
					</button>
				) : (
					<SubmitButton className="btn btn-primary btn-lg w-full" busyLabel="Registering...">
						Register
					</SubmitButton>
				)}
			</Form>
		</AccountFrame>
	)
}
