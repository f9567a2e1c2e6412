import { Link } from 'react-router'
import { DomainError } from '~/lib/errors.ts'
import { redirectWithToast } from '~/lib/http.ts'
import { pageMeta } from '~/lib/page-meta.ts'
import { verifyEmail } from '../accounts.server.ts'
import { AccountFrame } from '../components/account-frame.tsx'
import type { Route } from './+types/verify-email'

export async function loader({ url }: Route.LoaderArgs) {
	try {
		await verifyEmail(url.searchParams.get('token') ?? '')
	} catch (error) {
		if (!(error instanceof DomainError)) throw error
		return { message: error.message }
	}
	throw redirectWithToast('/login', { type: 'success', message: 'Your address is confirmed. Login to continue.' })
}

export function meta({ matches }: Route.MetaArgs) {
	return pageMeta(matches, { title: 'Confirm address', noindex: true })
}

export default function VerifyEmail({ loaderData }: Route.ComponentProps) {
	return (
		<AccountFrame title="Not confirmed" lead={loaderData.message}>
			<p className="mt-8">
				<Link className="btn btn-primary" to="/login">
					Log in to get a new link
				</Link>
			</p>
		</AccountFrame>
	)
}
