import type { OriginView } from '../../question.view.ts'

/** Where an imported text comes from, and under which licence. */
export function OriginLine({ origin }: { origin: OriginView | null }) {
	if (!origin) return null
	const host = origin.url === null ? null : hostOf(origin.url)
	return (
		<p className="meta mt-3">
			{host !== null && origin.url !== null && (
				<>
					From{' '}
					<a className="link" href={origin.url} rel="nofollow noopener">
						{host}
					</a>
				</>
			)}
			{host !== null && origin.licence ? ', ' : ''}
			{origin.licence}
		</p>
	)
}

/** The host of an http(s) address, or null: nothing else is linked. */
export function hostOf(address: string): string | null {
	const url = URL.parse(address)
	return url && /^https?:$/.test(url.protocol) ? url.hostname.replace(/^www\./, '') : null
}
