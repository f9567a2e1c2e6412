import { Award, BriefcaseBusiness, Folder, GraduationCap, Link as LinkIcon, LockKeyhole, User } from 'lucide'
import { Outlet, useLocation } from 'react-router'
import { editParts, editProfilePath, importPath } from '~/features/members/members.view.ts'
import { StatusNotices } from '~/features/profiles/components/hidden-notice.tsx'
import { getOwnStatus } from '~/features/profiles/hiding.server.ts'
import { pageMeta } from '~/lib/page-meta.ts'
import { Icon } from '~/ui/icon.tsx'
import { Link } from '~/ui/link.tsx'
import { useTabInView } from '~/ui/tab-row.tsx'
import { requireOwnPage } from '../requests.server.ts'
import type { Route } from './+types/edit-layout'

export async function loader(args: Route.LoaderArgs) {
	const viewer = requireOwnPage(args)
	return { username: viewer.username, status: await getOwnStatus(viewer) }
}

export function meta({ matches }: Route.MetaArgs) {
	return pageMeta(matches, { title: 'Edit Profile', noindex: true })
}

/** The sections of Edit profile on the left, the open one on the right. */
export default function EditLayout({ loaderData }: Route.ComponentProps) {
	return (
		<div className="grid grid-cols-1 gap-x-16 pt-1 md:grid-cols-[12rem_minmax(0,1fr)] md:pt-8">
			<EditMenu username={loaderData.username} />
			<div className="min-w-0 max-w-[44rem] max-md:mt-6">
				<StatusNotices {...loaderData.status} />
				<Outlet />
			</div>
		</div>
	)
}

const icons = {
	'': User,
	academics: GraduationCap,
	experience: BriefcaseBusiness,
	'social-links': LinkIcon,
	certificates: Award,
	projects: Folder,
	'change-password': LockKeyhole,
}

/** The sections of Edit profile: a side menu, or tabs below 768 px that scroll to the open one. */
function EditMenu({ username }: { username: string }) {
	const { pathname } = useLocation()
	const list = useTabInView<HTMLUListElement>()
	const shown = pathname.replace(/\/+$/, '').toLowerCase()

	return (
		<nav className="min-w-0" aria-label="Edit profile">
			<div className="rule-head max-md:hidden">
				<h2>Edit profile</h2>
			</div>
			<ul
				ref={list}
				className="relative max-md:-mx-4 max-md:flex max-md:gap-5 max-md:overflow-x-auto max-md:overflow-y-hidden max-md:border-b max-md:border-line max-md:px-4 sm:max-md:-mx-6 sm:max-md:px-6"
			>
				{editParts.map(({ part, title }) => {
					const to = editProfilePath(username, part)
					const address = to.toLowerCase()
					// A subpage of a section, such as the choice of repositories, belongs to it.
					const current = shown === address || (part !== '' && shown.startsWith(`${address}/`)) || undefined
					return (
						<li key={part}>
							<Link className="side-link min-h-9 max-md:hidden" to={to} aria-current={current && 'page'}>
								<Icon of={icons[part]} /> {title}
							</Link>
							<Link
								className="tab mb-0 whitespace-nowrap md:hidden"
								to={to}
								data-active={current}
								aria-current={current && 'page'}
								preventScrollReset
							>
								{title}
							</Link>
						</li>
					)
				})}
			</ul>
			<p className="mt-6 grid justify-items-start gap-2 border-t border-line pt-3 text-sm max-md:hidden">
				<Link className="link text-ink-2" to={`/find-dev/${username}`}>
					See public profile
				</Link>
				<Link className="link text-ink-2" to={importPath(username)}>
					Import a résumé
				</Link>
			</p>
		</nav>
	)
}
