import { AccountFrame } from '~/shell/account-frame.tsx'

/**
 * Sends the browser to a login at another site, automatically or by a link. It is not an HTTP redirect, as responses of this site
 * never redirect to other origins.
 */
export function ProviderRedirect({ url, title }: { url: string; title: string }) {
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
