import { data, redirect } from 'react-router'
import { factsOf, viewerOf } from '~/lib/context.ts'
import { pageMeta } from '~/lib/page-meta.ts'
import { chooseIntent, readForm, readText, refuseForm } from '~/platform/http/form.server.ts'
import { findByToken, redirectWithSuccess } from '~/platform/http/http.ts'
import { ExpiredTokenPage, revalidateTokenPage, TokenExitLink, TokenForm, TokenPage } from '~/ui/token-page.tsx'
import { confirmCampus, findCampusLink, resendCampusLink } from '../campus.server.ts'
import type { Route } from './+types/confirm-campus'

/** Shows what the link would confirm. Works without a login, as the mail may be opened on another device. */
export async function loader({ url }: Route.LoaderArgs) {
	const token = url.searchParams.get('token') ?? ''
	const isSent = url.searchParams.has('sent')
	if (isSent) return { token: '', link: null, isSent, message: '' }
	const { found, message, status } = await findByToken(() => findCampusLink(token))
	return data({ token: message ? '' : token, link: found, isSent, message }, { status })
}

export async function action({ request, context }: Route.ActionArgs) {
	const form = await readForm(request)
	const token = readText(form, 'token')
	try {
		return await chooseIntent(form.get('intent'), {
			'': async () => {
				const { username, university } = await confirmCampus(token)
				const own = viewerOf(context)?.username === username
				return redirectWithSuccess(
					own ? `/my-profile/${username}?tab=academics` : '/find-dev',
					own ? `You are a verified student of ${university}.` : `@${username} is a verified student of ${university}.`,
				)
			},
			resend: async () => {
				await resendCampusLink(token, factsOf(context).ip)
				return redirect('/confirm-campus?sent')
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

export default function ConfirmCampus({
	loaderData: { token, link, isSent, message },
	actionData,
}: Route.ComponentProps) {
	if (isSent)
		return (
			<TokenPage
				title="Check your mailbox"
				lead="A new link is on its way to your university address. It works for 10 minutes."
			/>
		)
	if (!link && token) return <ExpiredTokenPage token={token} message={actionData?.message} to="the same address" />
	if (!link)
		return (
			<TokenPage title="Not confirmed" lead={message}>
				<TokenExitLink to="/verify-campus">Go to my academics</TokenExitLink>
			</TokenPage>
		)
	return (
		<TokenPage
			title={`Confirm ${link.email}?`}
			lead={
				<>
					The card and profile of <bdi>{link.name}</bdi> (@{link.username}) will then say “Verified student of{' '}
					<bdi>{link.university}</bdi>” for a year. Nobody sees the address itself. If this is not you, close this page.
				</>
			}
		>
			<TokenForm token={token} message={actionData?.message} label="Confirm this address" busyLabel="Confirming..." />
		</TokenPage>
	)
}
