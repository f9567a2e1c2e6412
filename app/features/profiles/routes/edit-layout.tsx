import { Outlet } from 'react-router'
import { pageMeta } from '~/lib/page-meta.ts'
import { EditMenu } from '../components/edit-menu.tsx'
import { StandingNotices } from '../components/hidden-notice.tsx'
import { ownPage } from '../editing/requests.server.ts'
import { getOwnStatus } from '../hiding.server.ts'
import type { Route } from './+types/edit-layout'

export async function loader(args: Route.LoaderArgs) {
	const viewer = ownPage(args)
	return { username: viewer.username, standing: await getOwnStatus(viewer) }
}

export function meta({ matches }: Route.MetaArgs) {
	return pageMeta(matches, { title: 'Edit Profile', noindex: true })
}

/** The parts of Edit profile at the left, the open one at the right. */
export default function EditLayout({ loaderData }: Route.ComponentProps) {
	return (
		<div className="grid grid-cols-1 gap-x-16 pt-1 md:grid-cols-[12rem_minmax(0,1fr)] md:pt-8">
			<EditMenu username={loaderData.username} />
			<div className="min-w-0 max-w-[44rem] max-md:mt-6">
				<StandingNotices {...loaderData.standing} />
				<Outlet />
			</div>
		</div>
	)
}
