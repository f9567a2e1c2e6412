import { AccountFrame } from '~/features/accounts/components/account-frame.tsx'

/**
 * Leads the browser to a login at another site, by itself or by the link. That no answer of this site redirects to another one holds
 * for this way out, too.
 */
export function Leading({ url, title }: { url: string; title: string }) {
	return (
		<AccountFrame title="Login" lead={<>Going on to {title} …</>}>
			<meta httpEquiv="refresh" content={`0;url=${url}`} />
			<p className="mt-8">
				<a className="btn btn-primary btn-lg" href={url}>
					Continue
				</a>
			</p>
		</AccountFrame>
	)
}
