import { requirePageAdmin } from '~/features/administration/admins.server.ts'
import { AdminFrame } from '~/features/administration/components/admin-frame.tsx'
import { pageMeta } from '~/lib/page-meta.ts'
import { withHttpErrors } from '~/platform/http/http.ts'
import { Link } from '~/ui/link.tsx'
import { listSections } from '../site-settings.server.ts'
import { sectionPath } from '../site-settings.view.ts'
import type { Route } from './+types/sections'

export function loader({ request, context, url }: Route.LoaderArgs) {
	return withHttpErrors(async () => ({ sections: listSections(await requirePageAdmin({ request, context, url })) }))
}

export function meta({ matches }: Route.MetaArgs) {
	return pageMeta(matches, { title: 'Settings of the site', noindex: true })
}

export default function Sections({ loaderData: { sections } }: Route.ComponentProps) {
	return (
		<AdminFrame title="Settings of the site">
			<p className="mt-4 text-ink-2">
				Changes apply immediately. All but those of secrets can be undone, for as long as the history has them.
			</p>
			<ul className="mt-2">
				{sections.map(({ name, title, about }) => (
					<li key={name} className="border-b border-line py-3">
						<Link className="quiet-link font-semibold" to={sectionPath(name)}>
							{title}
						</Link>
						<p className="text-ink-2">{about}</p>
					</li>
				))}
			</ul>
		</AdminFrame>
	)
}
