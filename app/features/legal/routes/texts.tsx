import { requirePageAdmin } from '~/features/administration/admins.server.ts'
import { AdminFrame } from '~/features/administration/components/admin-frame.tsx'
import { pageMeta } from '~/lib/page-meta.ts'
import { withHttpErrors } from '~/platform/http/http.ts'
import { Link } from '~/ui/link.tsx'
import { LocalTime } from '~/ui/local-time.tsx'
import { listLegal } from '../legal.server.ts'
import { type LegalKind, legalEditPath, legalTitles } from '../legal.view.ts'
import type { Route } from './+types/texts'

export function loader({ request, context, url }: Route.LoaderArgs) {
	return withHttpErrors(async () => ({ texts: listLegal(await requirePageAdmin({ request, context, url })) }))
}

export function meta({ matches }: Route.MetaArgs) {
	return pageMeta(matches, { title: 'Terms and privacy', noindex: true })
}

const unpublished: Record<LegalKind, string> = {
	terms: 'Not published, so members are not asked to accept anything. There is a draft to start from.',
	privacy: 'The default text is shown, which describes this software.',
	imprint: 'The default text is shown, with the name and address from the settings.',
}

export default function LegalTexts({ loaderData: { texts } }: Route.ComponentProps) {
	return (
		<AdminFrame title="Terms and privacy">
			<p className="mt-4 max-w-[36rem] text-ink-2">
				Every page links to these three texts. What you publish applies at once, and earlier versions stay readable.{' '}
				<Link className="link" to="/admin/settings/operator">
					Operator of this site
				</Link>{' '}
				and{' '}
				<Link className="link" to="/admin/settings/retention">
					how long data is stored
				</Link>{' '}
				are settings.
			</p>
			<ul className="mt-2">
				{texts.map(({ kind, at }) => (
					<li key={kind} className="border-b border-line py-3">
						<Link className="quiet-link font-semibold" to={legalEditPath(kind)}>
							{legalTitles[kind]}
						</Link>
						<p className="text-ink-2">
							{at ? (
								<>
									Published <LocalTime at={at} />
								</>
							) : (
								unpublished[kind]
							)}
						</p>
					</li>
				))}
			</ul>
		</AdminFrame>
	)
}
