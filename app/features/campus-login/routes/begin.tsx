import { data } from 'react-router'
import { ProviderRedirect } from '~/features/login/components/provider-redirect.tsx'
import { factsOf, viewerOf } from '~/lib/context.ts'
import { pageMeta } from '~/lib/page-meta.ts'
import { readForm, refuseForm } from '~/platform/http/form.server.ts'
import { AccountFrame } from '~/shell/account-frame.tsx'
import { FormError } from '~/ui/form-error.tsx'
import { Link } from '~/ui/link.tsx'
import { beginFlow } from '../login-flow.server.ts'
import type { Route } from './+types/begin'

/** Starts a login at another site. */
export async function action({ request, params, context }: Route.ActionArgs) {
	const form = await readForm(request)
	try {
		const { url, title, headers } = await beginFlow(params.provider, {
			viewer: viewerOf(context),
			linkTo: null,
			redirectTo: form.get('redirectTo'),
			ip: factsOf(context).ip,
		})
		return data({ url, title }, { headers })
	} catch (error) {
		return refuseForm(error, form)
	}
}

export function meta({ matches }: Route.MetaArgs) {
	return pageMeta(matches, { title: 'Login', noindex: true })
}

export default function Begin({ actionData }: Route.ComponentProps) {
	if (!actionData || 'errors' in actionData)
		return (
			<AccountFrame
				title="Login"
				lead={
					<Link className="link" to="/login">
						Back to the login
					</Link>
				}
			>
				<div className="mt-6">
					{/* Without a form, somebody has opened or shared this address. */}
					<FormError>{actionData?.message ?? 'This login begins with its button on the login page.'}</FormError>
				</div>
			</AccountFrame>
		)
	return <ProviderRedirect {...actionData} />
}
