import { Outlet } from 'react-router'
import { requireLogin, withHttpErrors } from '~/platform/http/http.ts'
import { Link } from '~/ui/link.tsx'
import { SectionHeading } from '~/ui/section-heading.tsx'
import { getRoutingChoice } from '../answerable.server.ts'
import { OptInForm } from '../components/opt-in-form.tsx'
import { ANSWER_PATH } from '../routing.view.ts'
import type { Route } from './+types/settings'

export function loader({ context, url }: Route.LoaderArgs) {
	return withHttpErrors(async () => ({ optedIn: (await getRoutingChoice(requireLogin(context, url))).optedIn }))
}

/** A section of the settings: whether the member may be asked about new queries. */
export default function RoutingSettings({ loaderData: { optedIn } }: Route.ComponentProps) {
	return (
		<>
			<section className="mt-10" aria-labelledby="asked">
				<SectionHeading id="asked" title="Queries you may know the answer to">
					<Link className="quiet-link flex-none" to={ANSWER_PATH}>
						What you can answer
					</Link>
				</SectionHeading>
				<OptInForm optedIn={optedIn} from="/settings" />
			</section>
			<Outlet />
		</>
	)
}
