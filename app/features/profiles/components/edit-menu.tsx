import { Award, Folder, GraduationCap, Link as LinkIcon, LockKeyhole, User } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { Link, useLocation } from 'react-router'
import { editParts, editPath, importPath } from '~/features/members/members.paths.ts'

const icons = {
	'': User,
	academics: GraduationCap,
	'social-links': LinkIcon,
	certificates: Award,
	projects: Folder,
	'change-password': LockKeyhole,
}

/** The parts of Edit profile: a side menu, and below 768 px tabs that scroll to the one that is open. */
export function EditMenu({ username }: { username: string }) {
	const { pathname } = useLocation()
	const list = useRef<HTMLUListElement>(null)
	const shown = pathname.replace(/\/+$/, '').toLowerCase()

	// biome-ignore lint/correctness/useExhaustiveDependencies: another page is another tab to show
	useEffect(() => {
		const tab = list.current?.querySelector<HTMLElement>('.tab[data-active]')
		if (tab && list.current) list.current.scrollLeft = tab.offsetLeft - (list.current.clientWidth - tab.clientWidth) / 2
	}, [pathname])

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
					const to = editPath(username, part)
					const Icon = icons[part]
					const current = shown === to.toLowerCase() || undefined
					return (
						<li key={part}>
							<Link className="side-link min-h-9 max-md:hidden" to={to} aria-current={current && 'page'}>
								<Icon className="icon" aria-hidden="true" /> {title}
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
