import { redirect } from 'react-router'
import { pageMeta } from '~/lib/page-meta.ts'
import { chooseIntent, readForm, refuseForm } from '~/platform/http/form.server.ts'
import {
	redirectWithSuccess,
	redirectWithToast,
	requireLogin,
	safeRedirect,
	withHttpErrors,
} from '~/platform/http/http.ts'
import { FormError } from '~/ui/form-error.tsx'
import { Form, Link } from '~/ui/link.tsx'
import { Prose } from '~/ui/prose.tsx'
import { SubmitButton } from '~/ui/submit-button.tsx'
import { areTermsNewTo, consentState, decideOnTerms } from '../consent.server.ts'
import { getLegalPage, requiredTermsVersion } from '../legal.server.ts'
import { ACCEPT_PATH, legalPath } from '../legal.view.ts'
import type { Route } from './+types/accept'

export function loader({ context, url }: Route.LoaderArgs) {
	return withHttpErrors(async () => {
		const viewer = requireLogin(context, url)
		const to = safeRedirect(url.searchParams.get('redirectTo'), '/')
		if ((await consentState(viewer)) !== 'open') throw redirect(to)
		const { html, versions } = await getLegalPage('terms', null)
		const version = requiredTermsVersion()
		const areNew = await areTermsNewTo(viewer)
		const note = areNew ? (versions.find(({ id }) => id === version)?.note ?? '') : ''
		return { html, areNew, note, version, to }
	})
}

/** `intent`: accept, or later. Both redirect to the page that the member wanted. */
export async function action({ request, context, url }: Route.ActionArgs) {
	const viewer = requireLogin(context, url)
	const form = await readForm(request)
	const to = safeRedirect(form.get('redirectTo'), '/')
	try {
		return await chooseIntent(form.get('intent'), {
			accept: async () => {
				await decideOnTerms(viewer, 'accept', form.get('version'))
				return redirectWithSuccess(to, 'Thank you. You have accepted the terms.')
			},
			later: async () => {
				await decideOnTerms(viewer, 'later', form.get('version'))
				const message = `You can read everything. To write, accept the terms at ${ACCEPT_PATH}.`
				return redirectWithToast(to, { type: 'plain', message })
			},
		})
	} catch (error) {
		return refuseForm(error, form)
	}
}

export function meta({ matches }: Route.MetaArgs) {
	return pageMeta(matches, { title: 'Terms', noindex: true })
}

/** Asks a member once for each version to accept the terms. */
export default function AcceptTerms({ loaderData, actionData }: Route.ComponentProps) {
	const { html, areNew, note, version, to } = loaderData
	return (
		<article className="max-w-read pt-6 pb-10 md:pt-8">
			<h1 className="text-2xl font-bold">Please read the terms</h1>
			<p className="mt-2 text-ink-2">
				{areNew && 'They are new since you were here. '}Accept them to write; reading, taking your data along and
				leaving need no consent.
			</p>
			{note && <p className="mt-3 font-semibold">What is new: {note}</p>}
			<div className="mt-4 border-y border-line py-3">
				<Prose html={html} />
			</div>
			<Form method="post" action={ACCEPT_PATH} className="mt-4 grid gap-3" replace>
				<FormError>{actionData?.message}</FormError>
				<input type="hidden" name="version" value={version} />
				<input type="hidden" name="redirectTo" value={to} />
				<p className="flex flex-wrap gap-3">
					<SubmitButton name="intent" value="accept" action={ACCEPT_PATH} busyLabel="Saving...">
						Accept
					</SubmitButton>
					<button className="btn btn-outline" type="submit" name="intent" value="later">
						Not now
					</button>
				</p>
				<p className="text-sm text-ink-3">
					They stay at{' '}
					<Link className="link" to={legalPath('terms')}>
						Terms
					</Link>
					, at the bottom of every page.
				</p>
			</Form>
		</article>
	)
}
