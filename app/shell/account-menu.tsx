import { ChevronDown, LogOut, Settings, ShieldCheck, SquarePen, User } from 'lucide-react'
import { Form, Link } from 'react-router'
import { isModerator, type SignedIn } from '~/lib/viewer.ts'
import { Avatar } from '~/ui/avatar.tsx'
import { CaseCount } from './case-count.tsx'
import { closeOnLink } from './popover.ts'
import { ThemeSwitch } from './theme-switch.tsx'
import { leave } from './use-own-storage.ts'

const id = 'account-menu'

/** The member's picture, and under it what they may do with their account. A native popover: it needs no script. */
export function AccountMenu({ viewer }: { viewer: SignedIn }) {
	return (
		<>
			<button type="button" className="-mr-1 flex h-11 items-center gap-1.5 rounded-sm pr-1 pl-2" popoverTarget={id}>
				<Avatar user={viewer} size={32} />
				<span className="sr-only">{viewer.name}, account menu</span>
				<ChevronDown className="icon icon-sm hidden text-ink-3 sm:block" aria-hidden="true" />
			</button>
			{/* biome-ignore lint/a11y: the handler only closes the menu behind its own links */}
			<div className="popup account-menu" id={id} popover="auto" onClick={closeOnLink}>
				<div className="flex items-center gap-3 px-4 py-3">
					<Avatar user={viewer} size={40} />
					<div className="min-w-0">
						<p className="truncate font-semibold">{viewer.name}</p>
						<p className="handle truncate">@{viewer.username}</p>
					</div>
				</div>
				<div className="menu border-t border-line">
					<Link className="menu-item" to={`/my-profile/${viewer.username}`}>
						<User className="icon" aria-hidden="true" /> My Profile
					</Link>
					<Link className="menu-item" to={`/edit-profile/${viewer.username}`}>
						<SquarePen className="icon" aria-hidden="true" /> Edit Profile
					</Link>
					<Link className="menu-item" to="/settings">
						<Settings className="icon" aria-hidden="true" /> Settings
					</Link>
					{isModerator(viewer) && (
						<Link className="menu-item" to="/moderation">
							<ShieldCheck className="icon" aria-hidden="true" /> Moderation <CaseCount />
						</Link>
					)}
					<div className="menu-separator" />
					<div className="flex items-center justify-between px-2.5 py-1.5 text-sm text-ink-2">
						<span aria-hidden="true">Theme</span>
						<ThemeSwitch />
					</div>
					<div className="menu-separator" />
					<div data-install="menu-item" />
					<Form method="post" action="/logout" onSubmit={leave}>
						<button type="submit" className="menu-item">
							<LogOut className="icon" aria-hidden="true" /> Logout
						</button>
					</Form>
				</div>
			</div>
		</>
	)
}
