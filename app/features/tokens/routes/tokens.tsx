import { useState } from 'react'
import { data } from 'react-router'
import { requireConfirmed } from '~/features/accounts/security/confirmation.server.ts'
import { requireFreshLogin } from '~/features/accounts/viewer.server.ts'
import type { Flash } from '~/lib/context.ts'
import { NotFound } from '~/lib/errors.ts'
import { pageMeta } from '~/lib/page-meta.ts'
import { isModerator, type SignedIn } from '~/lib/viewer.ts'
import { chooseIntent, readForm, refuseForm } from '~/platform/http/form.server.ts'
import { redirectWithToast, requireLogin, withHttpErrors } from '~/platform/http/http.ts'
import { SectionHeading } from '~/ui/section-heading.tsx'
import { SettingsPage } from '~/ui/settings-page.tsx'
import { AccessTokenForm } from '../components/token-form.tsx'
import { TokenSection } from '../components/token-section.tsx'
import { listTokens, makeToken, revokeToken } from '../tokens.server.ts'
import type { Route } from './+types/tokens'

export function loader({ request, context, url }: Route.LoaderArgs) {
	return withHttpErrors(async () => {
		const { viewer } = await requireFreshLogin({ request, context, url })
		return { tokens: await listTokens(viewer), moderator: isModerator(viewer) }
	})
}

/** A new token is only in the response to the form, never in an address, a cookie or a later page. */
export function action({ request, context, url }: Route.ActionArgs) {
	return withHttpErrors(async () => {
		const viewer = requireLogin(context, url)
		const form = await readForm(request)
		return chooseIntent(form.get('intent'), {
			make: async () => {
				await requireConfirmed(viewer, request)
				const scopes = form.getAll('scopes').map(String)
				try {
					const made = await makeToken(viewer, { ...Object.fromEntries(form), scopes })
					return data({ ...made, refusal: null }, { status: 201, headers: { 'Cache-Control': 'no-store' } })
				} catch (error) {
					const { data: refusal, init } = refuseForm(error, form)
					return data({ token: null, refusal: { ...refusal, scopes } }, init ?? {})
				}
			},
			revoke: async () => {
				const to = form.has('stays') ? '/settings/tokens' : '/settings#tokens'
				return redirectWithToast(to, await revoke(viewer, Number(form.get('token'))))
			},
		})
	})
}

/** @returns the notice to show; the token may have been revoked already, by a double click or in another tab */
async function revoke(viewer: SignedIn, id: number): Promise<Flash> {
	try {
		await revokeToken(viewer, id)
		return { type: 'success', message: 'Token revoked.' }
	} catch (error) {
		if (!(error instanceof NotFound)) throw error
		return { type: 'plain', message: error.message }
	}
}

export function headers({ actionHeaders }: Route.HeadersArgs) {
	return actionHeaders
}

export function meta({ matches }: Route.MetaArgs) {
	return pageMeta(matches, { title: 'Access tokens', noindex: true })
}

export default function Tokens({ loaderData: { tokens, moderator }, actionData }: Route.ComponentProps) {
	// The token is shown only here, so it must survive what is done next, unless that revokes it.
	const [token, setToken] = useState(actionData?.token)
	if (actionData?.token && actionData.token !== token) setToken(actionData.token)
	const isRevoked = !tokens.some(({ lastFour }) => token?.endsWith(lastFour))
	return (
		<SettingsPage title="Access tokens">
			{token && !isRevoked && <Made token={token} />}
			<section className="mt-8" aria-labelledby="new-token">
				<SectionHeading id="new-token" title="New token" />
				{/* Resets the form after a token was created. */}
				<AccessTokenForm key={token ?? 'first'} moderator={moderator} refusal={actionData?.refusal ?? null} />
			</section>
			<TokenSection tokens={tokens} stays />
		</SettingsPage>
	)
}

function Made({ token }: { token: string }) {
	return (
		<section className="mt-6" aria-labelledby="made" role="status">
			<SectionHeading id="made" title="Your new token" />
			<p className="mt-2 max-w-read text-ink-2">
				Copy it now: you will not see it again. Anyone who has it can act as you, so keep it safe like a password.
			</p>
			<p className="mt-3 rounded-sm border border-line bg-sunken px-3 py-2.5 font-mono text-sm wrap-anywhere select-all">
				{token}
			</p>
		</section>
	)
}
